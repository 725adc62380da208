/** The theme: that of the system, light or dark. The browser remembers it. */

const THEMES = /** @type {const} */ (["light dark", "light", "dark"]);
const NAMES = { "light dark": "Auto", light: "Light", dark: "Dark" };
const KEY = "accrete.theme";

/** Applies the remembered theme, and lets a button change it. */
export function startTheme(/** @type {HTMLElement} */ button) {
  /** @type {(typeof THEMES)[number]} */
  let theme = readStoredTheme() ?? "light dark";
  const apply = () => {
    document.documentElement.style.colorScheme = theme;
    button.textContent = NAMES[theme];
    button.setAttribute("aria-label", `Theme: ${NAMES[theme].toLowerCase()}`);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "light dark";
    storeTheme(theme);
    apply();
  });
  apply();
}

/** Returns the stored theme, if any. A browser may refuse access to its storage. */
function readStoredTheme() {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored);
  } catch {
    return undefined;
  }
}

/** @param {string} theme */
function storeTheme(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The theme then lasts until the page is closed.
  }
}
