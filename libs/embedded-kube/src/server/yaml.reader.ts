import type { Event, MappingEvent, ScalarEvent, SequenceEvent, YAMLException } from 'js-yaml';
import { goValue } from '../common/go-value.js';
import { isJsonObject, setMember } from '../common/json.values.js';
import { yamlLibrary } from '../common/yaml.library.js';
import { resolveScalar } from '../common/yaml.scalars.js';
import { NESTING_LIMIT } from './json.text.js';
import { assertModestAliases } from './yaml.aliases.js';

/** The content of a text of YAML. */
export interface YamlDocument {
  readonly value: unknown;
  /** The keys that stand more than once in a map, as messages: `line 3: key "name" already set in map`. */
  readonly repeated: readonly string[];
}

/**
 * Reads the first document of a text of YAML 1.1 as the real server does, which makes JSON of it: keys become texts, and of keys that
 * stand more than once the last one counts.
 *
 * @throws Error if the text is no YAML, has keys that JSON cannot have, or grows too much by its aliases
 */
export function readYaml(text: string): YamlDocument {
  try {
    const reader = new YamlReader(text, eventsOf(text));
    const value = reader.document();
    if (text.includes('*')) assertModestAliases(value);
    return { value, repeated: reader.repeated };
  } catch (error) {
    if (error instanceof UnsupportedKeyError) throw new Error(error.message, { cause: error });
    const problem = isSyntaxError(error) ? syntaxProblem(error) : (error as Error).message;
    throw new Error(`yaml: ${problem}`, { cause: error });
  }
}

/** Parses the events of the first document; the real server does not look at what follows. */
function eventsOf(text: string): Event[] {
  const { parseEvents } = yamlLibrary();
  try {
    return parseEvents(text, { maxDepth: NESTING_LIMIT });
  } catch (error) {
    const isAfter = isSyntaxError(error) && error.reason === AFTER_DOCUMENT && error.mark;
    if (!isAfter || !error.mark!.position) throw error;
    return parseEvents(text.slice(0, error.mark!.position), { maxDepth: NESTING_LIMIT });
  }
}

const AFTER_DOCUMENT = 'end of the stream or a document separator is expected';

/** The words of the real server's parser, where there is one for the same error. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'unexpected end of the stream within a double quoted scalar': 'found unexpected end of stream',
  'unexpected end of the stream within a single quoted scalar': 'found unexpected end of stream',
  'unknown escape sequence': 'found unknown escape character',
  'directive name must not be less than one character in length': 'could not find expected directive name',
  'tab characters must not be used in indentation': 'found character that cannot start any token',
};

function isSyntaxError(error: unknown): error is YAMLException {
  return error instanceof yamlLibrary().YAMLException;
}

function syntaxProblem({ reason, mark }: YAMLException): string {
  const known = PROBLEMS[reason];
  return known && mark && mark.line > 0 ? `line ${mark.line + 1}: ${known}` : (known ?? reason);
}

class UnsupportedKeyError extends Error {}

type NodeEvent = MappingEvent | SequenceEvent | ScalarEvent;

class YamlReader {
  readonly repeated: string[] = [];
  private at = 0;
  private readonly library = yamlLibrary();
  private readonly anchors = new Map<string, { value: unknown; isComplete: boolean }>();

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
  ) {}

  /** Returns the document; `undefined` if there is none. */
  document(): unknown {
    if (this.events.length === 0) return undefined;
    this.at = 1;
    return this.events[1]!.type === this.library.EVENT_ID.POP ? undefined : this.node();
  }

  private node(): unknown {
    const event = this.events[this.at++]!;
    if (event.type === this.library.EVENT_ID.ALIAS)
      return this.alias(this.text.slice(event.anchorStart, event.anchorEnd));
    if (event.type === this.library.EVENT_ID.DOCUMENT || event.type === this.library.EVENT_ID.POP)
      throw new Error('did not find expected node content');
    const anchor = event.anchorStart < 0 ? undefined : { value: undefined as unknown, isComplete: false };
    if (anchor) this.anchors.set(this.text.slice(event.anchorStart, event.anchorEnd), anchor);
    const value = this.content(event);
    if (anchor) Object.assign(anchor, { value, isComplete: true });
    return value;
  }

  private content(event: NodeEvent): unknown {
    if (event.type === this.library.EVENT_ID.SCALAR) return this.scalar(event);
    return event.type === this.library.EVENT_ID.SEQUENCE ? this.list() : this.map();
  }

  private alias(name: string): unknown {
    const anchor = this.anchors.get(name);
    if (!anchor) throw new Error(`unknown anchor '${name}' referenced`);
    if (!anchor.isComplete) throw new Error(`anchor '${name}' value contains itself`);
    return anchor.value;
  }

  private list(): unknown[] {
    const items: unknown[] = [];
    while (this.events[this.at]!.type !== this.library.EVENT_ID.POP) items.push(this.node());
    this.at += 1;
    return items;
  }

  private map(): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    const own = new Set<string>();
    while (this.events[this.at]!.type !== this.library.EVENT_ID.POP) {
      const event = this.events[this.at]!;
      const isMerge = this.isMerge(event);
      const key = this.node();
      const value = this.node();
      if (isMerge) {
        this.merge(map, value, own);
        continue;
      }
      const name = keyName(key, value);
      if (own.has(name)) {
        const shown = typeof key === 'string' ? JSON.stringify(key) : String(key);
        this.repeated.push(`line ${this.lineOf(event)}: key ${shown} already set in map`);
      }
      own.add(name);
      setMember(map, name, value);
    }
    this.at += 1;
    return map;
  }

  private isMerge(event: Event): boolean {
    if (event.type !== this.library.EVENT_ID.SCALAR || event.style !== this.library.SCALAR_STYLE.PLAIN) return false;
    return this.text.slice(event.valueStart, event.valueEnd) === '<<';
  }

  private merge(map: Record<string, unknown>, value: unknown, own: Set<string>): void {
    const sources = Array.isArray(value) ? [...(value as unknown[])].reverse() : [value];
    for (const source of sources) {
      if (!isJsonObject(source)) throw new Error('map merge requires map or sequence of maps as the value');
      for (const [name, member] of Object.entries(source)) {
        own.add(name);
        setMember(map, name, member);
      }
    }
  }

  private scalar(event: ScalarEvent): unknown {
    const text = this.library.getScalarValue(this.text, event);
    const tag = event.tagStart < 0 ? '' : this.text.slice(event.tagStart, event.tagEnd);
    if (tag === '!!binary') return Buffer.from(text, 'base64').toString();
    const isPlain =
      event.style === this.library.SCALAR_STYLE.PLAIN && (tag === '' || /^!![a-z]/.test(tag)) && tag !== '!!str';
    if (!isPlain) return text;
    const value = resolveScalar(text);
    return tag === '!!float' && typeof value !== 'number' ? Number(text) : value;
  }

  private lineOf(event: Event): number {
    const start = event.type === this.library.EVENT_ID.SCALAR ? event.valueStart : 0;
    return this.text.slice(0, start).split('\n').length;
  }
}

/** A key, which has any type before it becomes a text. */
const ANY_KEY = 'interface {}';

/** @throws UnsupportedKeyError */
function keyName(key: unknown, value: unknown): string {
  if (typeof key === 'string') return key;
  if (key === null) {
    throw new UnsupportedKeyError(
      `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goValue(value, ANY_KEY)}`,
    );
  }
  if (typeof key === 'object') throw new Error(`invalid map key: ${goValue(key, ANY_KEY)}`);
  return String(key);
}
