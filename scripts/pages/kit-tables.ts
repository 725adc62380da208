/** The tables of docs/contract-testing.md that follow from the kit's laws and from the planted bugs. */
import { LAWS } from "../../generator/kit/laws/laws.js";
import { BUGS } from "../../test/kit/bugs.js";

/** Every law with its sentence and the adapter method that it needs, in the order of the kit. */
export function lawTable(): string {
  const rows = LAWS.map(
    ({ id, law, hook }) =>
      `| \`${id}\` | ${law.replaceAll("|", "\\|")} | ${hook === undefined ? "" : `\`${hook}()\``} |`,
  );
  return ["| law | guarantee | adapter method |", "|---|---|---|", ...rows].join("\n");
}

/** Every planted bug with the laws that catch it, and how many bugs exactly one law catches. */
export function bugTable(): string {
  const single = BUGS.filter(({ breaks }) => breaks.length === 1).length;
  const rows = BUGS.map(({ name, protocol = "hecate/v1", breaks }) => {
    const laws = breaks.map((id) => `\`${id}\``).join(", ");
    return `| ${name} | ${protocol} | ${laws} |`;
  });
  return [
    `Exactly one law catches ${single} of these ${BUGS.length} bugs. Two laws catch each of the others.`,
    "",
    "| planted bug | protocol | caught by |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}
