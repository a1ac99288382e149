const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a span of time in seconds, rounded down, with two units at most: `23 s`, `5 min`, `2 h 5 min`. */
export function describeSpan(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  if (first < 0) return '0 s';
  const [unit, size] = UNITS[first];
  const [smaller, smallerSize] = UNITS[first + 1] ?? UNITS[first];
  const rest = Math.floor((whole % size) / smallerSize);
  // Seconds do not matter beside minutes.
  const isExact = unit !== 'min' && rest > 0;
  return `${Math.floor(whole / size)} ${unit}${isExact ? ` ${rest} ${smaller}` : ''}`;
}
