/** The tables of docs/contract-testing.md that follow from the kit's laws and from the planted bugs. */
import { LAWS } from "../../generator/kit/laws/laws.js";
import { BUGS } from "../../test/kit/bugs.js";

/** Formats the table of laws, each with its sentence and the adapter method that it needs, in the order of the kit. */
export function formatLawTable(): string {
  const rows = LAWS.map(
    ({ id, law, hook }) =>
      `| \`${id}\` | ${law.replaceAll("|", "\\|")} | ${hook === undefined ? "" : `\`${hook}()\``} |`,
  );
  return ["| law | guarantee | adapter method |", "|---|---|---|", ...rows].join("\n");
}

/** Formats the table of planted bugs with the laws that catch each, after how many bugs exactly one law catches. */
export function formatBugTable(): string {
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
