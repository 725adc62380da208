import { contract, metadata, view } from "accrete-client/hecate/v1";
import { useRun } from "accrete-client/react";
import { describeGap } from "accrete-client/view";

const HECATE = { ...contract, metadata, view };

const CONNECTION = {
  loading: () => "Loading the events so far",
  connecting: () => "Connecting",
  open: () => "Live",
  stalled: () => "No data for a while",
  waiting: ({ reason, delay }) => `Interrupted (${reason}), next attempt in ${Math.ceil(delay / 1000)} s`,
  ended: ({ reason }) => `Ended (${reason})`,
};

/** The timeline of a run, and the state of its connection. */
export function Timeline({ stream, list }) {
  const { blocks, connection } = useRun(stream, HECATE, { list });
  return (
    <main data-connection={connection.kind}>
      <p role="status">{CONNECTION[connection.kind](connection)}</p>
      <ol>
        {blocks.map((block) => (
          <li key={block.id} data-kind={block.kind}>
            <Block block={block} />
          </li>
        ))}
      </ol>
    </main>
  );
}

function Block({ block }) {
  switch (block.kind) {
    case "text":
      return <p className={block.speaker}>{block.text}</p>;
    case "tool":
      return (
        <section>
          <h2>
            {block.name} <small>{block.state}</small>
          </h2>
          <pre>{block.input}</pre>
          <pre>{block.output.map(({ text }) => text).join("")}</pre>
        </section>
      );
    case "approval":
      return (
        <p>
          {block.subject}: {block.state}
        </p>
      );
    case "gap":
      return <p>{describeGap(block)}</p>;
    case "fault":
      return <p>Not shown: {block.problem}</p>;
    case "unknown":
      return <pre>{JSON.stringify(block.value, undefined, 2)}</pre>;
    default:
      return <p>{block.summary}</p>;
  }
}
