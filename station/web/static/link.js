/** The stream of events from the station; it connects again by itself, also when silence tells that it is broken. */

import { language } from "./texts.js";

const SILENCE_MS = 40_000;
const AGAIN_MS = 1500;
const EVENTS = ["hello", "board", "world", "evaluation", "club", "alive"];

export class Link {
  /** `hear(name, data)` gets each event, `tell(state)` "up" or "down". */
  constructor(hear, tell) {
    this.hear = hear;
    this.tell = tell;
    this.connect();
    window.addEventListener("online", () => this.again(0));
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.source.readyState === EventSource.CLOSED) this.again(0);
    });
  }

  connect() {
    this.source = new EventSource(`/events?lang=${language}`);
    this.source.addEventListener("error", () => {
      this.tell("down");
      if (this.source.readyState === EventSource.CLOSED) this.again(AGAIN_MS);
    });
    for (const name of EVENTS) {
      this.source.addEventListener(name, (event) => {
        this.listenOn();
        if (name === "hello") this.tell("up");
        this.hear(name, JSON.parse(event.data));
      });
    }
    this.listenOn();
  }

  listenOn() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      this.tell("down");
      this.again(0);
    }, SILENCE_MS);
  }

  again(wait) {
    clearTimeout(this.retry);
    this.retry = setTimeout(() => {
      this.source.close();
      this.connect();
    }, wait);
  }
}
