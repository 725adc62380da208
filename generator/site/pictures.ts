import type { PictureWriter } from "../emit/catalog/catalog.js";
import { drawFlow } from "./flow-picture.js";
import { drawStates } from "./state-picture.js";

/** The language of the blocks that stand for pictures in the Markdown of a site. No text of a schema becomes such a block. */
export const PICTURE = "picture";

/** The pictures of a site. */
export interface Pictures extends PictureWriter {
  /** Returns the HTML of the picture for which a block with this text stands; undefined if there is none. */
  find(text: string): string | undefined;
}

/** Creates a collection of pictures. Catalogues get a block for each of them, because HTML in Markdown is shown as text. */
export function createPictures(): Pictures {
  const drawn: string[] = [];
  const add = (html: string): string => `\`\`\`${PICTURE}\n${drawn.push(html) - 1}\n\`\`\``;
  return {
    writeFlow: (flow) => add(drawFlow(flow)),
    writeStates: (diagram) => add(drawStates(diagram)),
    find: (text) => drawn[Number(text)],
  };
}
