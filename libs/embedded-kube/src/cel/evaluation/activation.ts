import { CelEvaluationError } from '../values/cel.error.js';
import type { CelValue } from '../values/cel.value.js';
import type { CostMeter } from './cost.meter.js';

/** A function that returns the values of variables. */
export type CelVariables = (name: string) => CelValue | undefined;

/** The variables of one place in an evaluation; those of loops hide outer ones. A loop's result so far can be an error. */
export class Activation {
  constructor(
    readonly meter: CostMeter,
    private readonly variables: CelVariables,
    private readonly parent?: Activation,
    private readonly name?: string,
    public value?: CelValue | CelEvaluationError,
  ) {}

  with(name: string, value?: CelValue): Activation {
    return new Activation(this.meter, this.variables, this, name, value);
  }

  /** @throws CelEvaluationError if the variable holds one, or has no value */
  get(name: string): CelValue {
    if (this.name === name) {
      if (this.value instanceof CelEvaluationError) throw this.value;
      return this.value!;
    }
    if (this.parent) return this.parent.get(name);
    const value = this.variables(name);
    if (value === undefined) throw new CelEvaluationError(`no such attribute(s): ${name}`);
    return value;
  }
}
