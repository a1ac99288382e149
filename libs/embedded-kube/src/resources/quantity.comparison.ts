const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Compares two quantities (`1Gi`, `500m`); one that is absent or cannot be read counts as 0. */
export function compareQuantities(a: unknown, b: unknown): number {
  return amount(a) - amount(b);
}

function amount(quantity: unknown): number {
  const match = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(String(quantity ?? ''));
  if (!match) return 0;
  return Number(match[1]) * (match[2] === undefined ? 1 : FACTORS[match[2]]!);
}
