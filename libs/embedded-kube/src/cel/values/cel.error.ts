/** The error of an expression without a value: `no such key: a`, `division by zero`. */
export class CelEvaluationError extends Error {
  override readonly name = 'CelEvaluationError';
}

/** The error that ends an evaluation that costs more than it may. */
export class CelCostError extends CelEvaluationError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export function noSuchOverload(): CelEvaluationError {
  return new CelEvaluationError('no such overload');
}
