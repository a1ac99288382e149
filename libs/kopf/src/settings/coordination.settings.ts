import { IsBoolean, IsInt, IsNotEmpty, IsNumber, IsOptional, IsString, Min } from 'class-validator';
import { Rule, type OptionRule } from './option.validation.js';

/** The settings of peering: how operators of the same objects know of each other, so that only one of them works. */
export class PeeringSettings {
  /** The name of the peering object. Operators with different names do not see each other. @default default */
  @IsString() @IsNotEmpty() name = 'default';

  /** The priority of this operator: the one with the highest priority works, and the others pause. @default 0 */
  @IsInt() priority = 0;

  /**
   * The identity by which other operators know this one, in peering objects and in Leases; it must be unique.
   * @default the environment's `POD_ID`, or the user, the host, the time, and random characters: `me@laptop/20201231235959/a1b`
   */
  @IsOptional() @IsString() @IsNotEmpty() identity: string | null = null;

  /** Seconds after the last keep-alive for which an operator counts as alive. @default 60 */
  @IsInt() @Min(1) lifetime = 60;

  /** Whether the operator pauses until the peering object exists. Otherwise it works alone until then. @default false */
  @IsBoolean() mandatory = false;

  /** Whether other operators are ignored. @default false */
  @IsBoolean() standalone = false;

  /**
   * Whether a `ClusterKopfPeering` is used. Otherwise a `KopfPeering` in each served namespace is used.
   * @default whether the operator serves the whole cluster
   */
  @IsOptional() @IsBoolean() clusterwide: boolean | null = null;

  /** Whether keep-alives are not logged. @default false */
  @IsBoolean() stealth = false;
}

/** Requires a duration to be shorter than another one. */
function lessThan(other: keyof LeaseSettings): OptionRule {
  return (value, settings) =>
    (value as number) >= (settings[other] as number) ? `must be less than ${other}` : undefined;
}

/**
 * The settings of leader election among replicas by a Lease, with the option `coordination: 'lease'`. All durations are in seconds. A
 * replica must lose its leadership before another one may take it: `retryPeriod < renewDeadline < leaseDuration`.
 */
export class LeaseSettings {
  /** The name of the Lease: equal for all replicas of one operator, different for different operators. @default kopf-operator */
  @IsString() @IsNotEmpty() name = 'kopf-operator';

  /** The namespace of the Lease. @default the namespace of the credentials: in a pod, the pod's namespace; otherwise `default` */
  @IsOptional() @IsString() @IsNotEmpty() namespace: string | null = null;

  /** How long other replicas wait for the leader before they take over; rounded to whole seconds in the Lease. @default 15 */
  @IsNumber() @Min(1) leaseDuration = 15;

  /** How long the leader works without having renewed the Lease. @default 10 */
  @IsNumber() @Min(0.1) @Rule(lessThan('leaseDuration')) renewDeadline = 10;

  /** How often the leader renews the Lease, and the other replicas read it. @default 2 */
  @IsNumber() @Min(0.1) @Rule(lessThan('renewDeadline')) retryPeriod = 2;
}
