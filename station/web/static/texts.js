/** Everything the page says in its own words, keyed like the files in station/texts so that languages can follow. */

const TEXTS = {
  "page.skip": "To the next thing to do",
  "page.boards": "Boards",
  "page.title": "{board}: Dambord",
  "link.connecting": "Connecting",
  "link.up": "Connected",
  "link.down": "Not connected",
  "banner.link": "The station cannot be reached. What you see is the last it said; the page keeps trying.",
  "banner.lost": "The board does not answer.",
  "banner.lost_because": "The board does not answer: {problem}.",
  "banner.problem": "There is a problem: {problem}.",
  "guidance.title": "The next thing to do",
  "guidance.none": "Waiting for the station.",
  "guidance.no_boards": "No board has reported yet.",
  "guidance.choose": "I played {move}",

  "phase.setting_up": "Setting up",
  "phase.turn": "In play",
  "phase.waiting": "The other player is choosing",
  "phase.answering": "A move to carry out",
  "phase.paused": "Paused",
  "phase.over": "Game over",

  "wood.title": "The wooden board",
  "wood.title_no_lamps": "The wooden board, without lamps: this page marks the squares",
  "wood.title_sensors": "The wooden board, as its sensors see it",
  "wood.label": "Wooden board, {columns} by {rows}, White at the near side",
  "wood.turn": "Turn the board",
  "wood.help_sensors": "Lamps and sensors of the board.",

  "square.name": "Square {square}",
  "square.none": "Column {column}, row {row}, not played on",
  "square.lamp": "lamp: {lamp}",

  "content.white_man": "white man",
  "content.white_king": "white king",
  "content.black_man": "black man",
  "content.black_king": "black king",
  "content.white": "white piece",
  "content.black": "black piece",
  "content.any": "a piece",
  "content.empty": "empty",
  "content.unknown": "not known",

  "lamp.lift": "lift this piece",
  "lamp.place": "put a piece here",
  "lamp.path": "the piece passes here",
  "lamp.remove": "take this piece off",
  "lamp.wrong": "this square is not right",
  "lamp.hint": "look here",
  "legend.title": "What the lamps mean",

  "hand.lift": "Lift",
  "hand.put_down": "Put down",
  "hand.crown": "Crown",
  "hand.to_tray": "To the tray",
  "hand.set_up": "Set up",
  "hand.confirm": "Board's button",
  "hand.unplug": "Pull the cable",
  "hand.plug": "Plug it in",
  "hand.free": "Drag pieces as hands would.",
  "hand.holds": "In hand: {content}. {place}.",
  "hand.occupied": "{square} is taken.",
  "tray.white": "Tray of white pieces: {count}",
  "tray.black": "Tray of black pieces: {count}",
  "keys.title": "Keys and gestures",
  "keys.help":
    "Arrow keys choose a square. Enter or Space lifts a piece and puts it down. Delete brings it to the tray. K crowns. " +
    "W and B take a white or a black man from its tray. Escape puts a lifted piece back. " +
    "With mouse or finger: drag pieces, also to and from the trays; double-click a piece to crown it.",

  "belief.title": "What the station believes",
  "belief.label": "Position in the game. White: {white}. Black: {black}.",
  "belief.nothing": "no pieces",
  "player.person": "Person",
  "player.engine": "Computer, level {level}",
  "player.named": "{player}: {name}",
  "level.beginner": "beginner",
  "level.learner": "learner",
  "level.casual": "casual player",
  "level.careful": "careful player",
  "level.steady": "steady player",
  "level.club": "club player",
  "level.skilled": "skilled player",
  "level.expert": "expert",
  "level.master": "master",
  "level.unbound": "unbound",
  "player.hub": "Program {command}",
  "player.line": "{side}: {player}",
  "side.white": "White",
  "side.black": "Black",
  "turn.mark": "to move",
  "result.line": "Result: {result}",
  "moves.title": "Moves",
  "moves.number": "Number",
  "moves.none": "No moves yet.",

  "button.new_game": "New game",
  "button.take_back": "Take back",
  "button.resign": "Resign",
  "button.draw": "Draw",
  "button.pause": "Pause",
  "button.resume": "Resume",
  "button.pdn": "Save as PDN",
  "button.cancel": "Cancel",
  "confirm.resign": "Who resigns?",
  "confirm.resign_side": "{side} resigns",
  "confirm.draw": "Do both sides agree to a draw?",
  "confirm.draw_yes": "Yes, a draw",
  "new_game.title": "New game",
  "new_game.variant": "Game",
  "new_game.white": "White",
  "new_game.black": "Black",
  "new_game.start": "Start",
  "new_game.note": "Then the pieces are set up on the wooden board; the lamps lead through it.",
  "new_game.note_break": "The game being played is broken off. Then the pieces are set up on the wooden board.",

  "diagnosis.title": "Diagnosis",
  "diagnosis.sensors": "What the sensors show, square by square",
  "diagnosis.device": "Board",
  "diagnosis.no_device": "not found yet",
  "diagnosis.firmware": "Firmware",
  "diagnosis.identity": "Number",
  "diagnosis.senses": "Tells apart",
  "diagnosis.senses_presence": "occupied or empty",
  "diagnosis.senses_colour": "white and black",
  "diagnosis.senses_kings": "white and black, men and kings",
  "diagnosis.lamps": "Lamps",
  "diagnosis.yes": "yes",
  "diagnosis.no": "no",
  "diagnosis.battery": "Battery",
  "diagnosis.percent": "{percent} %",
  "diagnosis.charging": "{percent} %, charging",
  "diagnosis.problem": "Problem",
  "diagnosis.no_problem": "none",
  "diagnosis.game": "game: {content}",

  "error.link": "The station did not answer.",
  "error.refused": "Not done: {error}",
};

/** A sentence with its places filled in; the key itself where a text is missing. */
export function say(key, values = {}) {
  const text = TEXTS[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/** Fill in every element of the document that names a text (`data-text`) or a label (`data-label`). */
export function fillIn(root) {
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", say(element.dataset.label));
  }
}
