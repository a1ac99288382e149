const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const CHARACTERS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Finds the violations in a label's key, in the words of the real server; empty if there are none. */
export function labelKeyFaults(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${CHARACTERS} ${nameExamples()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults: string[] = [];
  const name = parts[parts.length - 1];
  if (parts.length === 2) faults.push(...prefixFaults(parts[0]));
  if (!name) faults.push('name part must be non-empty');
  else if (byteLength(name) > 63) faults.push('name part must be no more than 63 bytes');
  if (!NAME.test(name)) faults.push(`name part ${CHARACTERS} ${nameExamples()}`);
  return faults;
}

/** Finds the violations in a label's value, in the words of the real server; empty if there are none. */
export function labelValueFaults(value: string): string[] {
  const faults: string[] = [];
  if (byteLength(value) > 63) faults.push('must be no more than 63 bytes');
  if (!VALUE.test(value)) {
    faults.push(
      `a valid label must be an empty string or ${CHARACTERS.slice('must '.length)} ` +
        `(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${VALUE.source.slice(1, -1)}')`,
    );
  }
  return faults;
}

function prefixFaults(prefix: string): string[] {
  if (!prefix) return ['prefix part must be non-empty'];
  const faults: string[] = [];
  if (byteLength(prefix) > 253) faults.push('prefix part must be no more than 253 bytes');
  if (!SUBDOMAIN.test(prefix)) {
    faults.push(
      "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
        `an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN.source.slice(1, -1)}')`,
    );
  }
  return faults;
}

function nameExamples(): string {
  return `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME.source.slice(1, -1)}')`;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
