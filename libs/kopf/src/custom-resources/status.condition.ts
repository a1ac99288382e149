import { IsDateString, IsIn, IsInt, IsOptional, Matches, MaxLength, Min } from 'class-validator';
import type { Condition } from '../objects/conditions.js';
import { Description } from './field.decorators.js';

/** The format of the types of `metav1.Condition`, which clients rely on. */
export const CONDITION_TYPE =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
export const CONDITION_REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/**
 * The class of the conditions in a status, with the schema of `metav1.Condition`. `conditions(context)` sets them.
 *
 * @example
 * class DiskStatus {
 *   @IsOptional()
 *   @ListType('map', ['type'])
 *   @ValidateNested({ each: true })
 *   @Type(() => StatusCondition)
 *   conditions?: StatusCondition[];
 * }
 */
@Description('One aspect of the current state of the object.')
export class StatusCondition implements Condition {
  @Description('The aspect: a word in camel case, such as Ready.')
  @Matches(CONDITION_TYPE)
  @MaxLength(316)
  readonly type: string;

  @IsIn(['True', 'False', 'Unknown'])
  readonly status: Condition['status'];

  @Description('A word in camel case that says why the status is as it is, for programs.')
  @Matches(CONDITION_REASON)
  @MaxLength(1024)
  readonly reason: string;

  @Description('A sentence for people, which can be empty.')
  @MaxLength(32768)
  readonly message: string;

  @Description('The metadata.generation that the condition is about.')
  @IsOptional()
  @IsInt()
  @Min(0)
  readonly observedGeneration?: number;

  @Description('The time when the status has changed last.')
  @IsDateString()
  readonly lastTransitionTime: string;
}
