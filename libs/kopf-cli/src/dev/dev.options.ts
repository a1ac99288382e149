import type { RunOptions } from '../run.options.js';

/** The first argument of a process that runs an operator for `kopf dev`. */
export const DEV_OPERATOR = '--dev-operator';

/** The options of `kopf dev`. */
export interface DevOptions extends RunOptions {
  readonly output: 'text' | 'json' | 'yaml';
  readonly allowContext?: readonly string[];
  readonly port: number;
  readonly data?: string;
  readonly writeKubeconfig?: string;
  readonly apply?: readonly string[];
  readonly webhooks: string;
  readonly webhooksPort: number;
  readonly inspect?: string | boolean;
  readonly clean?: boolean;
}

/** The way in which reviews come to the operator that is developed. */
export type DevWebhooks =
  /** Handlers of admission are not called. */
  | { readonly way: 'off' }
  /** The API server reaches this machine by the name or address. */
  | { readonly way: 'host'; readonly host: string }
  /** The kind of the cluster says how it reaches this machine; otherwise they are off. */
  | { readonly way: 'detected' }
  /** A tunnel that the operator opens. */
  | { readonly way: 'ngrok'; readonly path: string }
  /** A tunnel that is open already, and leads to a port of this machine. */
  | { readonly way: 'tunnel'; readonly url: string; readonly port: number };

/** Everything that the process of the operator has to know. */
export interface DevTask {
  readonly files: readonly string[];
  readonly options: RunOptions;
  /** The name of the configurations of webhooks; those of operators with names have it at their end. */
  readonly managed: string;
  readonly webhooks: DevWebhooks;
  /** Whether the CRDs of classes are applied with all changes, as only this session has objects there. */
  readonly appliesCrds: boolean;
  /** Whether its lines are shown on a terminal. */
  readonly isTTY: boolean;
}

/** A message of the operator's process. */
export type DevReport =
  /** The files that it has loaded so far. */
  | { readonly type: 'files'; readonly files: readonly string[] }
  /** The name of configurations that it may write. */
  | { readonly type: 'managed'; readonly name: string }
  /** Reviews are served now, so that configurations can be written. */
  | { readonly type: 'serving' }
  /** What it does from now on, as a verb with its object. */
  | { readonly type: 'step'; readonly step: string }
  | {
      readonly type: 'started';
      /** The address at which its controllers are served. */
      readonly address?: string;
      /** Whether it has controllers that are not served. */
      readonly isUnserved: boolean;
    };

/** A message to the operator's process. */
export interface DevCommand {
  readonly type: 'stop';
}
