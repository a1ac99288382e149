import { diff3Merge } from 'node-diff3';

/** The result of a merge. */
export interface MergedText {
  readonly text: string;
  /** The number of places that both sides have changed differently; there, the text has both, between the marks that git uses. */
  readonly conflicts: number;
}

/**
 * Merges the changes of a person to a generated text with the newly generated text, line by line.
 *
 * @param original the text as it was generated before the person has changed it.
 */
export function mergeThreeWays(original: string, edited: string, generated: string): MergedText {
  const regions = diff3Merge(edited.split('\n'), original.split('\n'), generated.split('\n'), {
    excludeFalseConflicts: true,
  });
  const lines = regions.flatMap(({ ok, conflict }) =>
    conflict ? ['<<<<<<< edited', ...conflict.a, '=======', ...conflict.b, '>>>>>>> generated'] : (ok ?? []),
  );
  return { text: lines.join('\n'), conflicts: regions.filter(({ conflict }) => conflict).length };
}
