// Zoom and search in the flame graph of the svg export, which is drawn without this
// script: a click on a frame makes it as wide as the picture, with its callers above.
// The data in #tree has the frames that are too narrow to be drawn as well.
(function () {
  const picture = document.documentElement;
  const [margin, top, row, narrowest, room] =
    ["margin", "top", "row", "narrowest", "controls"].map((key) =>
      Number(picture.dataset[key]));
  const { width: fullWidth, height: fullHeight } = picture.viewBox.baseVal;
  const whole = fullWidth - 2 * margin;
  const html = (name, attributes) => Object.assign(
    document.createElementNS("http://www.w3.org/1999/xhtml", name), attributes);
  const details = document.getElementById("details");
  const summary = details.textContent;
  const group = document.getElementById("frames");
  const data = JSON.parse(document.getElementById("tree").textContent);
  const amount = data.weight === "calls" ? torchprofCalls : torchprofTime;
  const total = data.tree[1] || 1;

  // All frames, each behind its caller and all that lies in the callers before it.
  // A place is a sum of weights.
  const frames = [];
  const add = ([name, weight, ...callees], caller, begin, depth) => {
    const frame = { name: data.names[name], weight, caller, begin, depth };
    frames.push(frame);
    for (const callee of callees) {
      add(callee, frame, begin, depth + 1);
      begin += callee[1];
    }
  };
  add(data.tree, null, 0, 0);
  const isWithin = (frame, outer) => {
    while (frame && frame !== outer) frame = frame.caller;
    return frame === outer;
  };

  function show(frame, g) {
    Object.assign(frame, {
      g, rect: g.querySelector("rect"), text: g.querySelector("text"),
      title: g.querySelector("title").textContent,
    });
    frame.color = frame.rect.getAttribute("fill");
    g.style.cursor = "pointer";
    g.addEventListener("click", () => zoom(frame));
    g.addEventListener("mouseenter", () => {
      details.textContent = frame.title;
    });
    g.addEventListener("mouseleave", () => search(input.value));
  }

  // Draws a frame as the others are. Next to the whole it is nothing, and so is its
  // color's distance from yellow.
  function draw(frame) {
    const svg = (name, attributes, parent) => {
      const element = document.createElementNS(picture.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes))
        element.setAttribute(key, value);
      return parent.appendChild(element);
    };
    const y = top + frame.depth * row;
    const g = svg("g", {}, group);
    svg("title", {}, g).textContent = frame.name + ": " + amount(frame.weight) +
      ", " + torchprofTypes.percent(100 * frame.weight / total);
    svg("rect", { y, height: row - 1, rx: 1, fill: "#f9e494" }, g);
    svg("text", { y: y + 13 }, g);
    show(frame, g);
    if (frame.isFound) mark(frame);
  }

  // The drawn frames are the wide ones, in the order of the data.
  const drawn = Array.from(group.children);
  for (const frame of frames)
    if (frame.weight / total * whole >= narrowest) frame.g = drawn.shift();

  // Letters are measured in the font that is there, each once: to measure what is
  // drawn would lay out the picture for each frame.
  const pen = html("canvas", {}).getContext("2d");
  const { fontSize, fontFamily } = getComputedStyle(details);
  pen.font = fontSize + " " + fontFamily;
  const widths = new Map();
  const widthOf = (letter) => {
    if (!widths.has(letter)) widths.set(letter, pen.measureText(letter).width);
    return widths.get(letter);
  };

  // The beginning of a name that has room, empty if that says nothing.
  function fitting(name, room) {
    let used = 0, begin = "", cut = "";
    for (const letter of name) {
      used += widthOf(letter);
      if (used > room) return cut && cut + "..";
      begin += letter;
      if (used + 2 * widthOf(".") <= room) cut = begin;
    }
    return name;
  }

  function place(frame, begin, width) {
    frame.rect.setAttribute("x", (margin + begin).toFixed(1));
    frame.rect.setAttribute("width", width.toFixed(1));
    frame.text.setAttribute("x", (margin + begin + 3).toFixed(1));
    frame.text.textContent = fitting(frame.name, width - 6);
  }

  function zoom(into) {
    const scale = whole / (into.weight || 1);
    let deepest = 0;
    for (const frame of frames) {
      const above = frame !== into && isWithin(into, frame);
      const width = above ? whole : frame.weight * scale;
      if (width < narrowest || !above && !isWithin(frame, into)) {
        if (frame.g) frame.g.style.display = "none";
        continue;
      }
      if (!frame.g) draw(frame);
      frame.g.style.display = "";
      frame.g.style.opacity = above ? 0.6 : 1;
      place(frame, above ? 0 : (frame.begin - into.begin) * scale, width);
      deepest = Math.max(deepest, frame.depth);
    }
    // Rows that only a zoom shows have room.
    const height = Math.max(fullHeight, top + (deepest + 1) * row + margin);
    picture.setAttribute("height", height);
    picture.setAttribute("viewBox", "0 0 " + fullWidth + " " + height);
  }

  function mark(frame) {
    frame.rect.setAttribute("fill", frame.isFound ? "#c277e0" : frame.color);
  }

  function search(word) {
    const wanted = word.toLowerCase();
    let weight = 0, found = 0;
    for (const frame of frames) {
      frame.isFound = wanted && frame.name.toLowerCase().includes(wanted);
      // What lies in a frame that was counted is counted already.
      const isCounted = frame.caller?.isCounted;
      frame.isCounted = frame.isFound || isCounted;
      if (frame.g) mark(frame);
      if (!frame.isFound) continue;
      ++found;
      if (!isCounted) weight += frame.weight;
    }
    details.textContent = wanted
      ? found + " found, " + torchprofTypes.percent(100 * weight / total)
      : summary;
  }

  const input = html("input",
    { id: "search", type: "search", placeholder: "search" });
  const reset = html("button", { id: "reset", textContent: "reset" });
  const controls =
    document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
  for (const [name, value] of [["x", margin + whole - room], ["y", 8],
    ["width", room], ["height", 32]])
    controls.setAttribute(name, value);
  const bar = html("div", {});
  bar.style.textAlign = "right";
  bar.append(input, reset);
  controls.append(bar);
  picture.append(controls);

  for (const frame of frames) if (frame.g) show(frame, frame.g);
  zoom(frames[0]); // labels that fit the font
  input.addEventListener("input", () => search(input.value));
  reset.addEventListener("click", () => {
    input.value = "";
    search("");
    zoom(frames[0]);
  });
  picture.dataset.ready = "yes";
})();
