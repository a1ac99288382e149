// Events: those of the core group are checked little, for the sake of old clients.
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { qualifiedName } from '../../../resources/name.rules.js';
import { type FieldReport, isSameContent, structOf, textOf } from '../field.report.js';

const LENGTHS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 };
/** The fields that never change, by the names that they have inside the server, with those of the core group. */
const FIXED = [
  ['involvedObject', 'involvedObject'],
  ['reason', 'reason'],
  ['message', 'message'],
  ['source', 'source'],
  ['firstTimestamp', 'firstTimestamp'],
  ['lastTimestamp', 'lastTimestamp'],
  ['count', 'count'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
] as const;

/** Checks an event in the form of the core group. */
export function validateEvent(report: FieldReport, event: Draft): void {
  validateAnyEvent(report, event, 'reportingComponent');
}

/** Checks an event of events.k8s.io, which is given in the form of the core group. */
export function validateNewEvent(report: FieldReport, event: Draft, previous: KubeObject | undefined): void {
  validateAnyEvent(report, event, 'reportingController');
  if (previous) {
    const [series, old] = [structOf(event['series']), structOf(previous['series'])];
    // An empty series is one.
    if (!series !== !old || !isSameContent(series, old)) validateSeries(report, event);
    for (const [name, field] of FIXED) {
      const [next, old] = [event[field], previous[field]];
      if (field === 'involvedObject' || field === 'related') report.unchanged(name, next, old);
      else if (!isSameContent(next, old)) report.invalid(name, next ?? '', 'field is immutable');
    }
    return;
  }
  validateSeries(report, event);
  if (!event['eventTime']) report.required('eventTime');
  const type = textOf(event['type']);
  if (type !== 'Normal' && type !== 'Warning') report.invalid('type', '', `has invalid value: ${type}`);
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count']) {
    if (event[field]) report.invalid(field, '', 'needs to be unset');
  }
  const { component, host } = structOf(event['source']) ?? {};
  if (component || host) report.invalid('source', '', 'needs to be unset');
}

function validateAnyEvent(report: FieldReport, event: Draft, reporter: string): void {
  const namespace = textOf(structOf(event['involvedObject'])?.['namespace']);
  const own = event.metadata.namespace ?? '';
  const mismatch = 'does not match event.namespace';
  if (!event['eventTime']) {
    const fits = namespace === '' ? own === 'default' : namespace === own;
    if (!fits) report.invalid('involvedObject.namespace', namespace, mismatch);
    return;
  }
  if (namespace === '' && own !== 'default' && own !== 'kube-system') {
    report.invalid('involvedObject.namespace', '', mismatch);
  }
  report.requiredText(reporter, event['reportingComponent']);
  report.named(reporter, event['reportingComponent'], qualifiedName);
  for (const [field, limit] of Object.entries(LENGTHS)) {
    const text = textOf(event[field]);
    if (field !== 'message') report.requiredText(field, text);
    if (Buffer.byteLength(text) > limit) report.invalid(field, '', `can have at most ${limit} characters`);
  }
}

function validateSeries(report: FieldReport, event: Draft): void {
  const series = structOf(event['series']);
  if (!series) return;
  if (Number(series['count'] ?? 0) < 2) report.invalid('series.count', '', 'should be at least 2');
  if (!series['lastObservedTime']) report.required('series.lastObservedTime');
}
