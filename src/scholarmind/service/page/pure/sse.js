// Server-sent events from a stream of bytes: whole ones, in order, with what the last one was.

/** Return a function that takes text as it comes, and gives the events that are whole: {id, event, data}. */
export function reader() {
  let rest = "";
  return (piece) => {
    rest += piece;
    const whole = rest.endsWith("\r") ? rest.length - 1 : rest.length; // the other half of a line's end may still come
    const blocks = rest.slice(0, whole).replace(/\r\n?/g, "\n").split("\n\n");
    rest = blocks.pop() + rest.slice(whole);
    return blocks.map(eventOf).filter((event) => event.data !== "");
  };
}

function eventOf(block) {
  const event = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue; // a line that begins with a colon is a sign of life
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") event.data += (event.data && "\n") + value;
    else if (name in event) event[name] = value;
  }
  return event;
}
