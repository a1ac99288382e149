/** The versions of a combination, as texts of their major numbers. */
export interface Combination {
  readonly nest: string;
  readonly node: string;
  readonly client: string;
}

/** The result that a combination must have: `works`, or why it cannot. */
export function expectation(combination: Combination): string;

/** The table of the guide: a row for each Nest and Node.js, a column for each client-node. */
export function formatTable(resultOf: (combination: Combination) => string): string;
