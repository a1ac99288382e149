import type { OperatorEvent, OperatorEventObject, OperatorFieldDifference } from 'nestjs-kopf/inspection';
import { markup, type Markup } from './html.markup.js';
import { formatPath } from './report.text.js';

/** Renders the event log of a finding, with filters, and with the fields that differ side by side. */
export function renderLog(events: readonly OperatorEvent[]): Markup {
  const actors = [...new Set(events.map(({ actor }) => actor.name))];
  const objects = [...new Set(events.flatMap(({ object }) => (object ? [nameOf(object)] : [])))];
  return markup`<div data-log>
    <div class="filters" hidden>
      <label>Actor <select>${renderChoices(actors)}</select></label>
      <label>Object <select>${renderChoices(objects)}</select></label>
      <output class="soft" aria-live="polite"></output>
    </div>
    <div class="scroll">
      <table class="log">
        <thead>
          <tr><th scope="col" class="number">Seconds</th><th scope="col">Actor</th><th scope="col">Event</th></tr>
        </thead>
        <tbody>${events.map(renderEvent)}</tbody>
      </table>
    </div>
  </div>`;
}

function renderChoices(names: readonly string[]): readonly Markup[] {
  return [markup`<option value="">all</option>`, ...names.map((name) => markup`<option>${name}</option>`)];
}

function renderEvent({ time, actor, type, text, object, change }: OperatorEvent): Markup {
  const isFault = type === 'fault' || type === 'recovery' || type === 'violation';
  const style = isFault ? 'is-fault' : change?.hiddenFrom.length ? 'is-hidden-change' : '';
  return markup`<tr class="${style}" data-actor="${actor.name}" data-object="${object && nameOf(object)}">
    <td class="number">${time.toFixed(3)}</td>
    <td class="${actor.kind}">${actor.name}${actor.process && markup` <span class="soft">#${actor.process}</span>`}</td>
    <td>${change?.fields.length ? renderFields(text, change.fields) : text}</td>
  </tr>`;
}

function renderFields(text: string, fields: readonly OperatorFieldDifference[]): Markup {
  return markup`<details>
    <summary>${text}</summary>
    <table class="fields">
      <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
      <tbody>
        ${fields.map(
          ({ path, ...values }) =>
            markup`<tr><td>${formatPath(path)}</td><td class="old">${renderValue(values.old)}</td><td class="new">${renderValue(values.new)}</td></tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}

function renderValue(value: unknown): Markup | string {
  return value === null || value === undefined ? markup`<span class="absent">absent</span>` : JSON.stringify(value);
}

function nameOf({ kind, namespace, name }: OperatorEventObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
