import { CelCostError, CelEvaluationError, noSuchOverload } from '../values/cel.error.js';
import type { CelValue } from '../values/cel.value.js';
import type { Activation } from './activation.js';
import type { CelStep } from './cel.step.js';

/** Returns an error as a value, as quantifiers and logical operators may absorb it; throws the error of too high costs. */
export function attempt(step: CelStep, activation: Activation): CelValue | CelEvaluationError {
  try {
    return step(activation);
  } catch (error) {
    if (error instanceof CelCostError || !(error instanceof CelEvaluationError)) throw error;
    return error;
  }
}

/** Whether a value is not `false`. An error is no `false`: the loop of a quantifier continues. */
export function notStrictlyFalse(step: CelStep, activation: Activation): boolean {
  const value = attempt(step, activation);
  activation.meter.charge(1);
  return value !== false;
}

/** @throws CelEvaluationError if a condition is no boolean */
export function condition(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** Evaluates `&&` or `||`: an operand that decides does so even if the other one is an error. */
export function logical(left: CelStep, right: CelStep, decisive: boolean): CelStep {
  return (activation) => {
    const first = attempt(left, activation);
    if (first === decisive) return decisive;
    const second = attempt(right, activation);
    if (second === decisive) return decisive;
    if (first instanceof CelEvaluationError) throw first;
    if (second instanceof CelEvaluationError) throw second;
    if (typeof first !== 'boolean' || typeof second !== 'boolean') throw noSuchOverload();
    return !decisive;
  };
}
