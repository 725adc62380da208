/** Requests to the server. */

/**
 * Returns the JSON at a path; throws if the server does not answer with it.
 * @param {string} path
 * @param {RequestInit} [init]
 */
export async function fetchJson(path, init) {
  const response = await fetch(path, { ...init, headers: { accept: "application/json", ...init?.headers } });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => undefined);
  throw new Error(problem?.detail ?? `${path} answers ${response.status}`);
}

/**
 * Posts a value as JSON.
 * @param {string} path
 * @param {object} body
 * @param {HTMLElement} status Shows why the server refuses the request.
 */
export async function postJson(path, body, status) {
  try {
    const headers = { "content-type": "application/json" };
    await fetchJson(path, { method: "POST", headers, body: JSON.stringify(body) });
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : String(error);
  }
}
