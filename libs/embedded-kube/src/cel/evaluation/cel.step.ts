import type { CelValue } from '../values/cel.value.js';
import type { Activation } from './activation.js';

/** Evaluates a part of an expression. @throws CelEvaluationError */
export type CelStep = (activation: Activation) => CelValue;
