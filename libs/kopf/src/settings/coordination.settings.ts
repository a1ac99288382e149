import { IsBoolean, IsInt, IsNotEmpty, IsNumber, IsOptional, IsString, Min } from 'class-validator';
import { Rule, type OptionRule } from './option.validation.js';

/** Configures how operators that serve the same objects know of each other, so that only one of them works. */
export class PeeringSettings {
  /** The name of the peering object. Operators with different ones do not see each other. @default default */
  @IsString() @IsNotEmpty() name = 'default';

  /** The operator with the highest priority works, and the others pause. @default 0 */
  @IsInt() priority = 0;

  /**
   * The name under which other operators know this one, in peering objects and in Leases; no two operators may share it.
   * @default the environment's `POD_ID`, or the user, the host, the time, and random characters: `me@laptop/20201231235959/a1b`
   */
  @IsOptional() @IsString() @IsNotEmpty() identity: string | null = null;

  /** Counts an operator as expired after so many seconds without a keep-alive. @default 60 */
  @IsInt() @Min(1) lifetime = 60;

  /** Makes the operator pause until the peering object exists; otherwise it works alone until then. @default false */
  @IsBoolean() mandatory = false;

  /** Ignores other operators. @default false */
  @IsBoolean() standalone = false;

  /**
   * Uses a `ClusterKopfPeering`; otherwise there is a `KopfPeering` in each served namespace.
   * @default whether the operator serves the whole cluster
   */
  @IsOptional() @IsBoolean() clusterwide: boolean | null = null;

  /** Does not log keep-alives. @default false */
  @IsBoolean() stealth = false;
}

/** Requires durations to fit each other. */
function lessThan(other: keyof LeaseSettings): OptionRule {
  return (value, settings) =>
    (value as number) >= (settings[other] as number) ? `must be less than ${other}` : undefined;
}

/**
 * Configures leader election among replicas by a Lease, with the option `coordination: 'lease'`. All durations are in seconds.
 * A replica must lose its leadership before others may take it: `retryPeriod < renewDeadline < leaseDuration`.
 */
export class LeaseSettings {
  /** The name of the Lease; the same for all replicas of one operator, and different for different operators. @default kopf-operator */
  @IsString() @IsNotEmpty() name = 'kopf-operator';

  /** The namespace of the Lease. @default the namespace of the credentials: in a pod, its own; else `default` */
  @IsOptional() @IsString() @IsNotEmpty() namespace: string | null = null;

  /** Sets how long others wait for the leader before they take over; whole seconds on the wire. @default 15 */
  @IsNumber() @Min(1) leaseDuration = 15;

  /** Limits how long the leader goes on without having renewed the Lease. @default 10 */
  @IsNumber() @Min(0.1) @Rule(lessThan('leaseDuration')) renewDeadline = 10;

  /** Sets how often the leader renews the Lease, and the others read it. @default 2 */
  @IsNumber() @Min(0.1) @Rule(lessThan('renewDeadline')) retryPeriod = 2;
}
