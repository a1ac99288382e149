import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** Members of a list or an object that are shown before the viewer asks for more. */
const SHOWN = 100;

/** A value of an object as a tree whose branches open and close. Everything in it is text. */
export function JsonView({
  value,
  name,
  depth = 0,
  open = 2,
}: {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
  /** Levels that are open in the beginning. */
  readonly open?: number;
}) {
  const [isOpen, setOpen] = useState(depth < open);
  const [shown, setShown] = useState(SHOWN);
  if (typeof value !== 'object' || value === null) return <Leaf name={name} value={value} />;
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const summary = isList ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) return <Leaf name={name} text={isList ? '[]' : '{}'} />;
  const branches = entries
    .slice(0, shown)
    .map(([key, each]) => <JsonView key={key} name={key} value={each} depth={depth + 1} open={open} />);
  const more = entries.length > shown && (
    <li>
      <button type="button" class="link-button" onClick={() => setShown(shown + 10 * SHOWN)}>
        {entries.length - shown} more
      </button>
    </li>
  );
  if (name === undefined) {
    return (
      <ul class="json">
        {branches}
        {more}
      </ul>
    );
  }
  return (
    <li class="json-branch">
      <button type="button" class="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="json-key">{name}</span> <span class="soft">{summary}</span>
      </button>
      {isOpen && (
        <ul class="json">
          {branches}
          {more}
        </ul>
      )}
    </li>
  );
}

function Leaf({ name, value, text }: { readonly name?: string; readonly value?: unknown; readonly text?: string }) {
  const content = (
    <>
      {name !== undefined && <span class="json-key">{name}: </span>}
      <span class={`json-${value === null ? 'null' : typeof value}`}>
        {text ?? (typeof value === 'string' ? value : String(value))}
      </span>
    </>
  );
  return name === undefined ? <p class="json-leaf">{content}</p> : <li class="json-leaf">{content}</li>;
}
