import { IsBoolean, IsInt, IsNotEmpty, IsOptional, IsString, Min } from 'class-validator';

/** How operators that serve the same objects know of each other, so that only one of them works. */
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

  /** Seconds after which an operator counts as dead if nothing was heard of it. @default 60 */
  @IsInt() @Min(1) lifetime = 60;

  /** Whether the peering object must exist for the operator to work; otherwise the operator works alone until it exists. @default false */
  @IsBoolean() mandatory = false;

  /** Whether the operator does not care for others. @default false */
  @IsBoolean() standalone = false;

  /**
   * Whether the peering object is a `ClusterKopfPeering`; otherwise there is a `KopfPeering` in each served namespace.
   * @default whether the operator serves the whole cluster
   */
  @IsOptional() @IsBoolean() clusterwide: boolean | null = null;

  /** Whether keep-alives are not logged. @default false */
  @IsBoolean() stealth = false;
}
