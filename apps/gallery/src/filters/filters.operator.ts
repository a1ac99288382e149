import { Injectable } from '@nestjs/common';
import {
  ABSENT,
  anyOf,
  not,
  OnCreate,
  OnField,
  OnUpdate,
  PRESENT,
  type ChangeContext,
  type ChangeFilterContext,
} from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

const isTest = ({ name }: ChangeFilterContext): boolean => name.startsWith('test-');
const isOld = ({ spec }: ChangeFilterContext<{ version?: number }>): boolean => (spec.version ?? 0) < 2;

/** Handles only what it is for; what no handler is for is left alone: nothing is stored on it. */
@Injectable()
export class FiltersOperator {
  /** Records the calls of handlers with their objects. */
  readonly calls: string[] = [];

  @OnCreate(EXAMPLES, { labels: { team: PRESENT, ignored: ABSENT } })
  byLabels({ name }: ChangeContext) {
    this.calls.push(`byLabels ${name}`);
  }

  @OnCreate(EXAMPLES, { annotations: { size: (value) => Number(value) > 10 } })
  byAnnotation({ name }: ChangeContext) {
    this.calls.push(`byAnnotation ${name}`);
  }

  @OnCreate(EXAMPLES, { labels: { checked: 'yes' }, when: not(anyOf([isTest, isOld])) })
  byCallback({ name }: ChangeContext) {
    this.calls.push(`byCallback ${name}`);
  }

  @OnUpdate(EXAMPLES, { field: 'spec.state', old: 'open', new: 'closed' })
  byTransition({ name }: ChangeContext) {
    this.calls.push(`byTransition ${name}`);
  }

  @OnField(EXAMPLES, { field: 'spec.owner', value: PRESENT })
  byField({ name, old, new: owner }: ChangeContext) {
    this.calls.push(`byField ${name} ${old} ${owner}`);
  }
}
