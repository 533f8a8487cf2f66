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
      text: g.querySelector("text"),
      color: rect.getAttribute("fill"),
      begin: Number(rect.getAttribute("x")) - margin,
      width: Number(rect.getAttribute("width")),
      depth: Number(rect.getAttribute("y")),
    };
  });
  // A frame stands behind its caller and all that lies in the callers before it.
  let last = null;
  for (const frame of frames) {
    while (last && last.depth >= frame.depth) last = last.caller;
    frame.caller = last;
    last = frame;
  }
  const isWithin = (frame, outer) => {
    while (frame && frame !== outer) frame = frame.caller;
    return frame === outer;
  };

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
      const within = isWithin(frame, into);
      const above = !within && isWithin(into, frame);
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
    let width = 0, found = 0;
    for (const frame of frames) {
      const isFound = wanted && frame.name.toLowerCase().includes(wanted);
      // What lies in a frame that was counted is counted already.
      const isCounted = frame.caller?.isCounted;
      frame.isCounted = isFound || isCounted;
      frame.rect.setAttribute("fill", isFound ? "#c277e0" : frame.color);
      if (!isFound) continue;
      ++found;
      if (!isCounted) width += frame.width;
    }
    details.textContent = wanted
      ? found + " found, " + (100 * width / whole).toFixed(2) + "%"
      : summary;
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
