/** Times on clocks, as people read them. */

const TENTHS_BELOW_MS = 20_000;

/** `4:07`, `1:02:03`, below 20 s `0:09.4`. */
function timeText(ms) {
  const whole = ms < TENTHS_BELOW_MS ? Math.floor(ms / 1000) : Math.ceil(ms / 1000);
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const end = `${String(seconds).padStart(2, "0")}${ms < TENTHS_BELOW_MS ? `.${Math.floor(ms / 100) % 10}` : ""}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${end}` : `${minutes}:${end}`;
}

/** Main time, or when it is over what is left of this period, and how many there are with it: `0:24 ×3`. */
export function leftText(ms, { periods = 0, period_ms: period }) {
  const main = ms - periods * period;
  if (!periods || main > 0) return timeText(periods ? main : ms);
  const still = Math.ceil(ms / period);
  return `${timeText(ms - Math.max(0, still - 1) * period)} ×${still}`;
}
