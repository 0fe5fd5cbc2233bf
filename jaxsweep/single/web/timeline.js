// The timeline under a recording: the risk of every move, and a curve of surviving or of winning.

const SVG = "http://www.w3.org/2000/svg";
const MISTAKE = 0.01;

export function drawn(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export class Timeline {
  // `go(when)` is told of the moves that a person points at.
  constructor(element, go) {
    this.element = element;
    this.recording = null;
    this.cursor = drawn("rect", { class: "here", y: 0, width: 1, height: 100 });
    const scrub = (event) => {
      if (!this.recording) return;
      const box = element.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      go(Math.floor(share * (this.recording.moves.length + 1)));
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      scrub(event);
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) scrub(event);
    });
  }

  // One column before the first move, and one for each; heights are probabilities, 0 to 100 %.
  draw(recording) {
    this.recording = recording;
    const { moves, curve } = recording, shapes = [];
    const column = (x, height, name) =>
      shapes.push(drawn("rect", { class: name, x: x + 0.1, y: 100 - height, width: 0.8, height }));
    moves.forEach((move, index) => {
      const x = index + 1, risk = recording.riskOf(move) || 0, guess = recording.isGuess(move) || risk > 0;
      const fatal = x === moves.length && recording.outcome === "lost";
      if (guess) column(x, 100, "behind");
      column(x, Math.max(100 * risk, guess ? 6 : 4), fatal ? "is-fatal" : guess ? "is-guess" : "is-certain");
      // What choices lost hangs from the curve of the chance to win.
      const loss = recording.gradeOf?.get(move)?.loss || 0;
      if (loss >= MISTAKE)
        shapes.push(drawn("rect", { class: "is-loss", x, y: 101 - 99 * curve[index], width: 1, height: 99 * loss }));
    });
    // Unknown, and not drawn, after a guess of unknown risk.
    const known = curve.filter((share) => share !== null);
    const points = known.map((share, x) => `${x},${101 - 99 * share} ${x + 1},${101 - 99 * share}`);
    shapes.push(drawn("polyline", { class: "survival", points: points.join(" ") }), this.cursor);
    this.element.setAttribute("viewBox", `0 0 ${moves.length + 1} 100`);
    this.element.setAttribute("aria-valuemax", moves.length);
    this.element.replaceChildren(...shapes);
  }

  show(now) {
    this.cursor.setAttribute("x", now);
    this.element.setAttribute("aria-valuenow", now);
  }
}
