/** The least and the most of a size or a cost; `Infinity` where there is no limit. */
export interface CostRange {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN: CostRange = { min: 0, max: Infinity };
export const NOTHING: CostRange = { min: 0, max: 0 };
export const ONE: CostRange = { min: 1, max: 1 };

export function exactly(value: number): CostRange {
  return { min: value, max: value };
}

export function sum(...ranges: readonly CostRange[]): CostRange {
  return {
    min: ranges.reduce((total, { min }) => total + min, 0),
    max: ranges.reduce((total, { max }) => total + max, 0),
  };
}

export function product(a: CostRange, b: CostRange): CostRange {
  return { min: times(a.min, b.min), max: times(a.max, b.max) };
}

/** Multiplies by a factor, and rounds up. */
export function scaled(range: CostRange, factor: number): CostRange {
  return { min: Math.ceil(times(range.min, factor)), max: Math.ceil(times(range.max, factor)) };
}

export function union(a: CostRange, b: CostRange): CostRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Multiplies numbers; 0 times infinity is 0. */
function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
