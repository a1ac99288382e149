import { isIP, isIPv6, SocketAddress } from 'node:net';

/** A function that checks a name, and returns what is wrong with it. */
export type NameRule = (name: string) => string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const patterns = {
  label: new RegExp(`^${LABEL}$`),
  label1035: new RegExp(`^${LABEL_1035}$`),
  subdomain: new RegExp(`^${SUBDOMAIN}$`),
  qualifiedName: new RegExp(`^${QUALIFIED_NAME}$`),
  labelValue: new RegExp(`^${LABEL_VALUE}$`),
};

/** The rule for names of most objects: `example.com`. */
export const subdomain: NameRule = (name) => [
  ...length(name, 253, 'characters'),
  ...(patterns.subdomain.test(name)
    ? []
    : [
        `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
      ]),
];

/** The rule for names that become parts of host names: namespaces. */
export const label: NameRule = (name) => {
  if (patterns.label.test(name)) return length(name, 63, 'characters');
  if (patterns.subdomain.test(name)) return [...length(name, 63, 'characters'), 'must not contain dots'];
  return [
    ...length(name, 63, 'characters'),
    `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
  ];
};

/** The rule for names of services. */
export const label1035: NameRule = (name) => [
  ...length(name, 63, 'characters'),
  ...(patterns.label1035.test(name)
    ? []
    : [
        `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${LABEL_1035}')`,
      ]),
];

/** The rule for names that only have to fit into a path: roles and bindings. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
};

/** The rule for names that are IP addresses, in the one way of writing that is canonical. */
export const ipAddress: NameRule = (name) => {
  if (/^\d+(\.\d+){3}$/.test(name) && /(^|\.)0\d/.test(name)) return ['must not have leading 0s'];
  if (!isIP(name) || name.includes('%')) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  const { address } = new SocketAddress({ address: name, family: isIPv6(name) ? 'ipv6' : 'ipv4' });
  const canonical = address.replace(/^::ffff:(?=\d+\.)/, '');
  return canonical === name ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
};

/** The rule for keys of labels and annotations, and for finalizers: `example.com/name` or `name`. */
export const qualifiedName: NameRule = (key) => {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1)!;
  const prefix = parts.length === 2 ? parts[0]! : undefined;
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) problems.push(...subdomain(prefix).map((problem) => `prefix part ${problem}`));
  if (name === '') problems.push('name part must be non-empty');
  else problems.push(...length(name, 63, 'bytes').map((problem) => `name part ${problem}`));
  if (!patterns.qualifiedName.test(name)) {
    problems.push(
      `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`,
    );
  }
  return problems;
};

/** The rule for values of labels. */
export const labelValue: NameRule = (value) => [
  ...length(value, 63, 'bytes'),
  ...(patterns.labelValue.test(value)
    ? []
    : [
        `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`,
      ]),
];

function length(value: string, limit: number, unit: string): string[] {
  return Buffer.byteLength(value) > limit ? [`must be no more than ${limit} ${unit}`] : [];
}
