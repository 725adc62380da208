import { formatValidateArguments } from "./package-scripts.js";

/** The path of the workflow below a project. */
export const WORKFLOW = ".github/workflows/contract.yml";

/**
 * Returns a GitHub workflow that checks the contract. `test` is the script of package.json that runs the generated tests, and
 * `streams` matches the golden streams if there are some.
 */
export function renderWorkflow(test: string, streams: string | undefined): string {
  const validate =
    streams === undefined
      ? ""
      : `      - run: npx accrete-cli ${formatValidateArguments(streams, "--format github ")}\n`;
  return `name: contract
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  contract:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          # accrete check compares the release files with those of all earlier commits.
          fetch-depth: 0
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - run: npx accrete-cli check --format github
${validate}      - run: npm run ${test}
`;
}
