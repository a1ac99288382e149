import { simulate, type SimulatedModule, type SimulationOptions, type SimulationReport } from 'nestjs-kopf-simulation';

/** An application that must survive whatever goes wrong, with what its users do. */
export interface SimulationTarget {
  /** The name of the target on command lines and in the names of files with plans. */
  readonly name: string;
  readonly module: SimulatedModule;
  readonly options: SimulationOptions;
}

/** Runs plans of a target. */
export function runTarget(
  { module, options }: SimulationTarget,
  plans: Pick<SimulationOptions, 'plans' | 'limit' | 'stopAfter' | 'seed'>,
): Promise<SimulationReport> {
  return simulate(module, { ...options, ...plans });
}
