// Zoom and search in the flame graph of the svg export, which is drawn without this
// script: a click on a frame makes it as wide as the picture, with its callers above.
(function () {
  const picture = document.documentElement;
  const margin = Number(picture.dataset.margin);
  const letter = Number(picture.dataset.letter);
  const whole = picture.viewBox.baseVal.width - 2 * margin;
  const details = document.getElementById("details");
  const summary = details.textContent;
  const frames = Array.from(document.querySelectorAll("#frames > g"), (g) => {
    const rect = g.querySelector("rect");
    const title = g.querySelector("title").textContent;
    return {
      g, rect, title,
      // What stands before the amount and the share.
      name: title.replace(/: [^:]*$/, ""),
      share: Number(title.replace(/^.*, (.*)%$/s, "$1")),
      text: g.querySelector("text"),
      color: rect.getAttribute("fill"),
      begin: Number(rect.getAttribute("x")) - margin,
      width: Number(rect.getAttribute("width")),
      depth: Number(rect.getAttribute("y")),
    };
  });

  function fitting(name, width) {
    const letters = Array.from(name);
    const room = Math.max(0, Math.floor((width - 6) / letter));
    if (letters.length <= room) return name;
    return room < 3 ? "" : letters.slice(0, room - 2).join("") + "..";
  }

  function place(frame, begin, width) {
    frame.rect.setAttribute("x", (margin + begin).toFixed(1));
    frame.rect.setAttribute("width", width.toFixed(1));
    frame.text.setAttribute("x", (margin + begin + 3).toFixed(1));
    frame.text.textContent = fitting(frame.name, width);
  }

  function zoom(into) {
    const scale = whole / into.width;
    for (const frame of frames) {
      // Positions are rounded to a tenth of a pixel.
      const within = frame.begin >= into.begin - 0.1 &&
        frame.begin + frame.width <= into.begin + into.width + 0.2;
      const above = frame.depth < into.depth &&
        frame.begin <= into.begin + 0.1 &&
        frame.begin + frame.width >= into.begin + into.width - 0.2;
      frame.g.style.display = within || above ? "" : "none";
      frame.g.style.opacity = above ? 0.6 : 1;
      if (above) place(frame, 0, whole);
      else if (within) {
        const begin = Math.max(0, (frame.begin - into.begin) * scale);
        place(frame, begin, Math.min(whole - begin, frame.width * scale));
      }
    }
  }

  function search(word) {
    const wanted = word.toLowerCase();
    const isFound = (frame) => wanted &&
      frame.name.toLowerCase().includes(wanted);
    let share = 0, end = 0, found = 0;
    for (const frame of frames) {
      frame.rect.setAttribute("fill", isFound(frame) ? "#c277e0" : frame.color);
      if (!isFound(frame)) continue;
      ++found;
      // Frames stand in the order of their beginnings, callers first: what lies
      // in one that was counted is counted already.
      if (frame.begin < end - 0.1) continue;
      share += frame.share;
      end = frame.begin + frame.width;
    }
    details.textContent = wanted
      ? found + " found, " + share.toFixed(2) + "%" : summary;
  }

  const html = (name, attributes) => Object.assign(
    document.createElementNS("http://www.w3.org/1999/xhtml", name), attributes);
  const input = html("input",
    { id: "search", type: "search", placeholder: "search" });
  const reset = html("button", { id: "reset", textContent: "reset" });
  const controls =
    document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
  for (const [name, value] of [["x", margin + whole - 280], ["y", 8],
    ["width", 280], ["height", 32]])
    controls.setAttribute(name, value);
  const bar = html("div", {});
  bar.style.textAlign = "right";
  bar.append(input, reset);
  controls.append(bar);
  picture.append(controls);

  for (const frame of frames) {
    frame.g.style.cursor = "pointer";
    frame.g.addEventListener("click", () => zoom(frame));
    frame.g.addEventListener("mouseenter", () => {
      details.textContent = frame.title;
    });
    frame.g.addEventListener("mouseleave", () => search(input.value));
  }
  input.addEventListener("input", () => search(input.value));
  reset.addEventListener("click", () => {
    input.value = "";
    search("");
    if (frames.length) zoom(frames[0]);
  });
  picture.dataset.ready = "yes";
})();
