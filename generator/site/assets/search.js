/* The search of a catalogue. Its data are a script, because a page from a disk may not fetch a file. */
let searchEntries;
{
  const MAX_RESULTS = 30;
  const { root } = document.currentScript.dataset;
  const input = document.getElementById("search");
  const list = document.getElementById("found");
  let isLoading = false;

  const load = () => {
    if (isLoading) return;
    isLoading = true;
    const script = document.createElement("script");
    script.src = `${root}search-data.js`;
    script.addEventListener("load", show);
    document.head.append(script);
  };

  /** Returns how well an entry fits all words, or 0: its name counts most, then its summary, then other words. */
  const rate = ([, name, , summary, more], words) => {
    let rating = 1;
    for (const word of words) {
      const place = name.toLowerCase().indexOf(word);
      if (place >= 0) rating += place === 0 ? 10 : 6;
      else if (summary.toLowerCase().includes(word)) rating += 3;
      else if (more.toLowerCase().includes(word)) rating += 1;
      else return 0;
    }
    return rating;
  };

  const createItem = ([path, name, kind, summary, more]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const note = document.createElement("span");
    link.href = root + path.split("/").map(encodeURIComponent).join("/");
    link.textContent = name;
    note.textContent = ` ${kind} of ${more.split(" ")[0]}${summary === "" ? "" : `: ${summary}`}`;
    item.append(link, note);
    return item;
  };

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 || searchEntries === undefined) return list.replaceChildren();
    const found = searchEntries
      .map((entry) => ({ entry, rating: rate(entry, words) }))
      .filter(({ rating }) => rating > 0)
      .sort((a, b) => b.rating - a.rating || a.entry[1].length - b.entry[1].length);
    const rest = found.length - MAX_RESULTS;
    list.replaceChildren(...found.slice(0, MAX_RESULTS).map(({ entry }) => createItem(entry)));
    if (found.length === 0 || rest > 0) {
      const note = document.createElement("li");
      note.textContent = rest > 0 ? `and ${rest} more` : "Nothing has these words.";
      list.append(note);
    }
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", () => {
    load();
    show();
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") list.querySelector("a")?.click();
    if (key === "Escape") list.replaceChildren();
  });
}
