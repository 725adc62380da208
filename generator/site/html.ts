/** Turns the Markdown of catalogues into HTML. Markup of other origin is shown as text. */
import { Marked, type Tokens } from "marked";
import { escapeXml } from "../text.js";
import { PICTURE } from "./pictures.js";

/** The tags that the catalogue itself writes, where Markdown cannot show code in the cell of a table. */
const OWN_HTML: ReadonlySet<string> = new Set(["<code>", "</code>", "<!-- -->"]);

/** Converts Markdown to HTML. */
interface HtmlConverter {
  /** Converts blocks. */
  convert(markdown: string): string;
  /** Converts one line. */
  convertLine(markdown: string): string;
}

/** Creates a converter. `locate` returns the address of the section with a slug, `findPicture` the picture for which a block stands. */
export function createHtmlConverter(
  locate: (slug: string) => string,
  findPicture: (text: string) => string | undefined = () => undefined,
): HtmlConverter {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (OWN_HTML.has(text) ? text : escapeXml(text)),
      // The catalogue shows no images, and links only to its own sections.
      image: ({ raw }: Tokens.Image) => escapeXml(raw),
      link(token: Tokens.Link) {
        if (!token.href.startsWith("#")) return escapeXml(token.raw);
        const address = locate(decodeURIComponent(token.href.slice(1)));
        return `<a href="${escapeXml(address)}">${this.parser.parseInline(token.tokens)}</a>`;
      },
      code: ({ text, lang = "" }: Tokens.Code) =>
        (lang === PICTURE ? findPicture(text) : undefined) ??
        `<pre tabindex="0" class="${escapeXml(lang)}"><code>${escapeXml(text)}</code></pre>\n`,
      table(token: Tokens.Table) {
        const renderRow = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const rows = token.rows.map((row) => renderRow(row, "td")).join("\n");
        return `<div class="table" tabindex="0"><table><thead>${renderRow(token.header, "th")}</thead>\n<tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  return {
    convert: (markdown) => marked.parse(markdown, { async: false }),
    convertLine: (markdown) => marked.parseInline(markdown, { async: false }),
  };
}
