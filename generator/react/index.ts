/**
 * `accrete-client/react`: a hook that shows a stream of events in React 18 or 19, and the store behind it. Nothing else of
 * accrete needs React.
 */
import { useState, useSyncExternalStore } from "react";
import type { KnownEventOf, UnknownEventOf } from "../stream/index.js";
import type { ViewContract } from "../view/index.js";
import { createRunStore, type RunOptions, type RunState, type RunStore } from "./run-store.js";

export { createRunStore, type RunOptions, type RunState, type RunStore } from "./run-store.js";

/** A store with what it was made for. */
interface OwnStore {
  readonly address: string;
  readonly contract: ViewContract;
  readonly store: RunStore;
}

/**
 * Follows the stream at `url` while the component is mounted, and returns what to show of it. `contract` is
 * `{ ...contract, metadata, view }` of the generated module, made once outside of the component. Another address or contract
 * begins again; other changes of `options` have no effect. On a server, it returns the state before the first event.
 */
export function useRun<C extends ViewContract>(
  url: string | URL,
  contract: C,
  options: RunOptions<KnownEventOf<C>, UnknownEventOf<C>> = {},
): RunState {
  const address = JSON.stringify([String(url), options.list === undefined ? null : String(options.list)]);
  const createOwnStore = (): OwnStore => ({
    address,
    contract,
    store: createRunStore(url, contract, options),
  });
  const [remembered, remember] = useState(createOwnStore);
  let own = remembered;
  if (own.address !== address || own.contract !== contract) {
    // A store does nothing before it has listeners, so one of a rendering that React drops costs nothing.
    own = createOwnStore();
    remember(own);
  }
  const { subscribe, getSnapshot } = own.store;
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
