import type { SimulatedState, SimulationOptions, SimulationProperty } from '../simulation.options.js';
import type { Violation } from './violation.js';

/** Checks the user's properties. */
export class PropertyOracle {
  /** The names of those `sometimes` properties that have held. */
  readonly reached = new Set<string>();
  private readonly broken = new Map<string, Violation>();

  constructor(
    private readonly options: Pick<SimulationOptions, 'always' | 'eventually' | 'sometimes'>,
    private readonly state: SimulatedState,
  ) {}

  get violations(): readonly Violation[] {
    return [...this.broken.values()];
  }

  /** Checks the `always` properties, and records the `sometimes` properties that hold, after a change or an effect. @returns new violations */
  onStep(): readonly Violation[] {
    const { always = [], sometimes = [] } = this.options;
    sometimes.forEach((property, index) => {
      const name = nameOf(property, index);
      if (!this.reached.has(name) && explain(property, this.state) === undefined) this.reached.add(name);
    });
    return this.check('always', always);
  }

  /** Checks the `eventually` properties. */
  onEnd(): void {
    this.check('eventually', this.options.eventually ?? []);
  }

  private check(check: 'always' | 'eventually', properties: readonly SimulationProperty[]): readonly Violation[] {
    const found: Violation[] = [];
    properties.forEach((property, index) => {
      const name = nameOf(property, index);
      if (this.broken.has(`${check} ${name}`)) return;
      const reason = explain(property, this.state);
      if (reason === undefined) return;
      const violation: Violation = { check, message: `${name}${reason && `: ${reason}`}` };
      this.broken.set(`${check} ${name}`, violation);
      found.push(violation);
    });
    return found;
  }
}

/** The name of a property in reports. */
export function nameOf({ name }: SimulationProperty, index: number): string {
  return name || `property ${index + 1}`;
}

/** The reason why a property does not hold; `undefined` if it holds. */
function explain(property: SimulationProperty, state: SimulatedState): string | undefined {
  try {
    const result = property(state);
    if (typeof result === 'string') return result;
    return result === false ? '' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
