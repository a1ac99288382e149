/** The height of a row in pixels, as the styles have it. */
export const ROW = 36;

/** Objects that are asked for at once. More rows than this never fit on a screen. */
export const PAGE = 100;

/** Rows beyond both edges, so that the keyboard and quick scrolling find some. */
const BEYOND = 10;

/** The part of the list that can be seen, in pixels. */
export interface ListView {
  readonly top: number;
  readonly height: number;
}

/** Finds the rows that are to be there: from `start` to before `end`. */
export function findWindow({ top, height }: ListView, total: number): { readonly start: number; readonly end: number } {
  const start = Math.max(0, Math.floor(top / ROW) - BEYOND);
  const end = Math.min(total, Math.ceil((top + height) / ROW) + BEYOND);
  return { start: Math.min(start, end), end };
}

/** Finds where the one or two pages begin that hold the rows which can be seen; the same place twice if it is one page. */
export function findPages({ top, height }: ListView): { readonly first: number; readonly second: number } {
  const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
  const last = Math.ceil((top + Math.min(height, (PAGE - 2 * BEYOND) * ROW)) / ROW) + BEYOND - 1;
  return { first: first - (first % PAGE), second: last - (last % PAGE) };
}
