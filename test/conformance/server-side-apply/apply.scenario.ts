import { ApplySteps, type ApplyStep } from './apply.steps.js';

/** The requests of one scenario, about one object. */
export type Scenario = (object: ApplySteps) => readonly ApplyStep[];

/** Requests that two servers are to answer in the same way, each scenario for an object of its own. */
export type Scenarios = Readonly<Record<string, readonly ApplyStep[]>>;

/** The head of a configuration. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

export const FORCE = { force: true };

/** Makes a scenario for an object that is named as the scenario is. */
export function scenarioOf(title: string, path: string, kind: Kind, scenario: Scenario): Scenarios {
  return { [title]: scenario(new ApplySteps(path, kind, title.replaceAll(' ', '-'))) };
}
