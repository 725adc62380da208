import { contract, metadata, view } from "accrete-client/hecate/v1";
import { follow } from "accrete-client/stream";
import { createView } from "accrete-client/view";
import { useEffect, useReducer } from "react";

const INITIAL = { blocks: new Map(), connection: { kind: "connecting" } };

/** Returns the next state. Blocks are copied, because the view changes them when later events arrive. */
function update(state, action) {
  if (action.kind === "restart") return INITIAL;
  if (action.kind === "connection") return { ...state, connection: action.connection };
  const blocks = new Map(state.blocks);
  for (const block of action.blocks) blocks.set(block.id, { ...block });
  return { ...state, blocks };
}

/** Follows a run. Returns its blocks by id, in their order, and the state of the connection. */
export function useRun(stream, list) {
  const [state, dispatch] = useReducer(update, INITIAL);
  useEffect(() => {
    const stop = new AbortController();
    followRun(stream, { list, signal: stop.signal }, dispatch);
    return () => stop.abort();
  }, [stream, list]);
  return state;
}

async function followRun(stream, options, dispatch) {
  const timeline = createView({ ...contract, metadata, view });
  dispatch({ kind: "restart" });
  for await (const item of follow(stream, contract, options)) {
    if (options.signal.aborted) return;
    if ("event" in item || item.kind === "invalid") dispatch({ kind: "blocks", blocks: timeline.take(item) });
    else dispatch({ kind: "connection", connection: item });
  }
  dispatch({ kind: "blocks", blocks: timeline.end() });
}
