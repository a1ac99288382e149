/** A line through measured points: `constant + slope * size`. */
export interface LinearFit {
  readonly constant: number;
  readonly slope: number;
  /** The largest distance of a point from the line, as a share of the point's value. */
  readonly residual: number;
}

/** Fits a line by least squares. The distances count in proportion to the values, so that small sizes count as much as large ones. */
export function fitLine(points: readonly (readonly [size: number, value: number])[]): LinearFit {
  let [weights, sizes, values, squares, products] = [0, 0, 0, 0, 0];
  for (const [size, value] of points) {
    const weight = 1 / value ** 2;
    weights += weight;
    sizes += weight * size;
    values += weight * value;
    squares += weight * size ** 2;
    products += weight * size * value;
  }
  const determinant = weights * squares - sizes ** 2;
  // A single size has no constant part that could be told from the rest.
  if (points.length < 2 || determinant === 0) return { constant: 0, slope: products / squares, residual: 0 };
  const slope = (weights * products - sizes * values) / determinant;
  const constant = (values - slope * sizes) / weights;
  const residual = Math.max(...points.map(([size, value]) => Math.abs(constant + slope * size - value) / value));
  return { constant, slope, residual };
}
