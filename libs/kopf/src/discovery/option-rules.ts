import { IsDefined } from 'class-validator';
import type { HandlerKind, HandlerMetadata } from '../decorators/handler.metadata.js';
import type { ConvertOptions } from '../decorators/conversion.decorators.js';
import { ABSENT, PRESENT } from '../contexts/filter-options.js';
import type {
  ActivityOptions,
  AdmissionOptions,
  BackgroundOptions,
  ChildOptions,
  ReferenceOptions,
  RelatedOptions,
  DaemonOptions,
  DeleteOptions,
  EventOptions,
  IndexOptions,
  ResumeOptions,
  TimerOptions,
  ValidateOptions,
} from '../decorators/handler-options.js';
import type { CreateOptions, HandlerOptions, UpdateOptions } from '../contexts/change-options.js';
import { ObjectSelector } from '../resources/object-selector.js';
import {
  excludes,
  findOptionViolations,
  isCount,
  isDuration,
  isFlag,
  isFunction,
  isSeconds,
  isText,
  must,
  needs,
  oneOf,
  Rule,
  satisfies,
  whenTrue,
  type OptionRule,
  type OptionsClass,
} from '../settings/option.validation.js';
import { LogPattern } from '../logs/log.pattern.js';
import type { LogOptions, MultilineOptions } from '../decorators/log.decorator.js';
import { CronSchedule, isTimeZone } from '../common/cron.schedule.js';
import { errorText } from 'kube-common';

const isDelay = must(
  'a number of seconds, not negative, or a function',
  (value) => typeof value === 'function' || satisfies(value, isSeconds),
);
const isPath = must(
  'a path such as "spec.field", or a list of keys',
  (value) => [value].flat().length > 0 && [value].flat().every((key) => satisfies(key, isText)),
);
const isMetadata = must('an object of strings, PRESENT, ABSENT, or functions', (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(
    (wanted) => wanted === PRESENT || wanted === ABSENT || ['string', 'function'].includes(typeof wanted),
  );
});

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const isOperation = (value: unknown): boolean => OPERATIONS.includes(value as string);
const isConditions = must(
  'a list of objects with a name and an expression',
  (value) =>
    Array.isArray(value) && value.every((item) => satisfies(item?.name, isText) && satisfies(item?.expression, isText)),
);

const isSelector: OptionRule = (value) => {
  try {
    ObjectSelector.parse(value);
    return undefined;
  } catch (error) {
    return `cannot be used: ${errorText(error)}`;
  }
};

const isZone = must('a time zone such as "Europe/Berlin"', (value) => isTimeZone(value as string));
const isCron: OptionRule = (value) => {
  if (typeof value !== 'string') return 'must be a cron expression such as "0 3 * * *"';
  try {
    return CronSchedule.parse(value).next(0) === undefined ? 'is a time that never comes' : undefined;
  } catch (error) {
    return `is no cron expression: ${errorText(error)}`;
  }
};

const isErrorHandler = must(
  'a function or the name of a method',
  (value) => typeof value === 'function' || satisfies(value, isText),
);

/** A rule for each option of an interface, so that the compiler reports a missing one. */
type RulesFor<Options> = Record<keyof Options, unknown>;

class HandlerRules implements RulesFor<HandlerOptions> {
  @Rule(isText) id: unknown;
  @Rule() param: unknown;
  @Rule(isText) operator: unknown;
  @Rule(isErrorHandler) onError: unknown;
}

class ActivityRules extends HandlerRules implements RulesFor<ActivityOptions> {
  @Rule(oneOf('temporary', 'permanent', 'ignored')) errors: unknown;
  @Rule(isSeconds) timeout: unknown;
  @Rule(isCount) retries: unknown;
  @Rule(isSeconds) backoff: unknown;
}

class FilterRules extends HandlerRules {
  @Rule(isMetadata) labels: unknown;
  @Rule(isMetadata) annotations: unknown;
  @Rule(isFunction) when: unknown;
  @Rule(isPath) field: unknown;
  @Rule(needs('field')) value: unknown;
}

class EventRules extends FilterRules implements RulesFor<EventOptions> {
  @Rule() ownedBy: unknown;
  @Rule(isSelector) selector: unknown;
}

class ChangeRules extends EventRules implements RulesFor<IndexOptions> {
  @Rule(oneOf('temporary', 'permanent', 'ignored')) errors: unknown;
  @Rule(isSeconds) timeout: unknown;
  @Rule(isCount) retries: unknown;
  @Rule(isSeconds) backoff: unknown;
}

class InterruptibleRules extends ChangeRules implements RulesFor<CreateOptions> {
  @Rule(oneOf('deletion', 'change')) abortOn: unknown;
}

class ResumeRules extends InterruptibleRules implements RulesFor<ResumeOptions> {
  @Rule(isFlag) deleted: unknown;
}

class DeleteRules extends InterruptibleRules implements RulesFor<DeleteOptions> {
  @Rule(isFlag) optional: unknown;
}

/** Requires a filter of the value that a field has in one of two states, not of the change itself. */
const isForOneState: OptionRule = (value, options) => {
  const violation = excludes('value')(value, options);
  return violation ? `${violation}, which is for both states` : needs('field')(value, options);
};

class UpdateRules extends InterruptibleRules implements RulesFor<UpdateOptions> {
  @Rule(isForOneState) old: unknown;
  @Rule(isForOneState) new: unknown;
}

class FieldRules extends UpdateRules {
  @IsDefined({ message: 'field is missing' }) declare field: unknown;
}

class BackgroundRules extends ChangeRules implements RulesFor<BackgroundOptions> {
  @Rule(isDelay) initialDelay: unknown;
}

class HoldingRules extends BackgroundRules implements RulesFor<BackgroundOptions & Pick<DaemonOptions, 'finalizer'>> {
  @Rule(isFlag) finalizer: unknown;
}

class DaemonRules extends HoldingRules implements RulesFor<DaemonOptions> {
  @Rule(isSeconds) cancellationBackoff: unknown;
  @Rule(isSeconds) cancellationTimeout: unknown;
  @Rule(isDuration) cancellationPolling: unknown;
}

class TimerRules extends HoldingRules implements RulesFor<TimerOptions> {
  @Rule(isDuration) interval: unknown;
  @Rule(isFlag, whenTrue(needs('interval'))) sharp: unknown;
  @Rule(isSeconds) idle: unknown;
  @Rule(isCron, excludes('interval', 'idle')) cron: unknown;
  @Rule(isText, needs('cron'), isZone) timeZone: unknown;
}

class RelatedRules extends BackgroundRules implements RulesFor<RelatedOptions> {
  @Rule(isSeconds) batchWindow: unknown;
}

class ChildRules extends RelatedRules implements RulesFor<ChildOptions> {
  @Rule(must('a whole number above 0', (value) => Number.isInteger(value) && (value as number) > 0)) depth: unknown;
  @Rule(isFlag) controller: unknown;
}

class ReferenceRules extends RelatedRules implements RulesFor<ReferenceOptions> {
  @Rule(isText) condition: unknown;
}

const isPattern: OptionRule = (value) => {
  if (typeof value !== 'string' && !(value instanceof RegExp)) return 'must be a regular expression or its source';
  try {
    return void new LogPattern(value);
  } catch (error) {
    return `cannot be used: ${errorText(error)}`;
  }
};

const isContainer = must(
  'a name, a list of names, or a regular expression',
  (value) =>
    value instanceof RegExp || ([value].flat().length > 0 && [value].flat().every((each) => satisfies(each, isText))),
);

const isSince = must(
  '"start", "now", or a number of seconds',
  (value) => value === 'start' || value === 'now' || satisfies(value, isSeconds),
);

const isMultiline: OptionRule = (value, options) => {
  const { start, maxLines = 1, timeout = 1 } = (value ?? {}) as Partial<MultilineOptions>;
  const violation = start === undefined ? 'is missing' : isPattern(start, options);
  if (violation) return `has a 'start' that ${violation}`;
  if (!Number.isInteger(maxLines) || maxLines < 1) return `has a 'maxLines' that must be a whole number above 0`;
  return satisfies(timeout, isDuration) ? undefined : `has a 'timeout' that must be a number of seconds above 0`;
};

class LogRules extends ChangeRules implements RulesFor<LogOptions> {
  @Rule(isPattern) regex: unknown;
  @Rule(isContainer) container: unknown;
  @Rule(isMultiline) multiline: unknown;
  @Rule(isSince) since: unknown;
}

class AdmissionRules extends FilterRules implements RulesFor<AdmissionOptions> {
  @Rule(isForOneState) old: unknown;
  @Rule(isForOneState) new: unknown;
  @Rule(must(`one of ${OPERATIONS.join(', ')}`, isOperation), excludes('operations')) operation: unknown;
  @Rule(
    must(
      `a non-empty list of ${OPERATIONS.join(', ')}`,
      (value) => Array.isArray(value) && value.length > 0 && value.every(isOperation),
    ),
  )
  operations: unknown;
  @Rule(isText) subresource: unknown;
  @Rule(isFlag) persistent: unknown;
  @Rule(isFlag) sideEffects: unknown;
  @Rule(isFlag) ignoreFailures: unknown;
  @Rule(isFlag) ownUpdates: unknown;
  @Rule(isConditions) matchConditions: unknown;
}

class ValidateRules extends AdmissionRules implements RulesFor<ValidateOptions> {
  @Rule(must('a class', (value) => typeof value === 'function')) dto: unknown;
}

const isVersion = must(
  'a version such as "v1", or a class with @CustomResource()',
  (value) => typeof value === 'function' || satisfies(value, isText),
);

class ConvertRules extends HandlerRules implements RulesFor<ConvertOptions> {
  @IsDefined({ message: 'from is missing' }) @Rule(isVersion) from: unknown;
  @IsDefined({ message: 'to is missing' }) @Rule(isVersion) to: unknown;
  @Rule(isFlag) retired: unknown;
}

const RULES: Readonly<Record<HandlerKind, OptionsClass>> = {
  startup: ActivityRules,
  cleanup: ActivityRules,
  login: ActivityRules,
  probe: ActivityRules,
  event: EventRules,
  create: InterruptibleRules,
  resume: ResumeRules,
  delete: DeleteRules,
  update: UpdateRules,
  field: FieldRules,
  daemon: DaemonRules,
  timer: TimerRules,
  child: ChildRules,
  reference: ReferenceRules,
  log: LogRules,
  index: ChangeRules,
  validate: ValidateRules,
  mutate: AdmissionRules,
  convert: ConvertRules,
};

/** The handlers whose options are valid, cached for all applications of the process: the options of a decorator do not change. */
const RIGHT = new WeakSet<DeclaredHandler>();

/** A handler as its decorator has declared it. */
type DeclaredHandler = Pick<HandlerMetadata, 'kind' | 'options'>;

/** Finds the violations in the options of a handler decorator. */
export function findHandlerOptionViolations(handler: DeclaredHandler): readonly string[] {
  if (RIGHT.has(handler)) return [];
  const titleOf = (name: string): string => `option '${name}'`;
  const violations = findOptionViolations(RULES[handler.kind], handler.options, { titleOf });
  if (violations.length === 0) RIGHT.add(handler);
  return violations;
}
