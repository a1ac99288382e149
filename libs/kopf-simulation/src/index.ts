/**
 * Simulations of operators: a whole application with its cluster, on virtual time, with injected faults, and with checks that need no assertions.
 *
 * @module nestjs-kopf-simulation
 */

export { simulate } from './simulate.js';
export { defineSimulation, type SimulationDefinition } from './simulation.definition.js';
export type {
  ConditionalProperty,
  SimulatedChanges,
  SimulatedCommand,
  SimulatedCommands,
  SimulatedEffect,
  SimulatedEffects,
  SimulatedState,
  SimulatedUser,
  SimulatedWorkload,
  SimulatedWorldOptions,
  SimulationOptions,
  SimulationOracle,
  SimulationPlans,
  SimulationProperty,
  SimulationStatement,
} from './simulation.options.js';
export {
  describePlan,
  type PatchFormat,
  type PatchPart,
  type PatchRejection,
  type SimulationFault,
  type SimulationPlan,
} from './simulation.plan.js';
export { SimulationReport } from './simulation.report.js';
export type { SimulationFinding, SimulationResult } from './simulation.result.js';
export { parsePlan, readPlans, writePlans } from './plans/plan.files.js';
export type {
  SimulationCallCoverage,
  SimulationCoverage,
  SimulationExcuse,
  SimulationPointCoverage,
} from './simulation.coverage.js';
export type { SimulatedModule } from './world/prepared.world.js';
export type { Violation } from './oracles/violation.js';
