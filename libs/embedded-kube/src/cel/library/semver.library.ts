import type { CelDeclaration } from '../checking/cel.functions.js';
import { CelEvaluationError } from '../values/cel.error.js';
import { type CelType, struct } from '../values/cel.type.js';
import { CelOpaque } from '../values/cel.value.js';

const FORM =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*))?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;

/** The type of versions in expressions. */
export const SEMVER: CelType = struct('kubernetes.Semver');

class CelSemver extends CelOpaque {
  override readonly type = SEMVER;

  constructor(
    readonly numbers: readonly bigint[],
    readonly prerelease: readonly string[],
  ) {
    super();
  }

  override equals(other: CelSemver): boolean {
    return compare(this, other) === 0n;
  }
}

function parse(text: string, normalize = false): CelSemver | undefined {
  const match = FORM.exec(normalize ? normalized(text) : text);
  if (!match) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return new CelSemver([BigInt(major!), BigInt(minor!), BigInt(patch!)], prerelease?.split('.') ?? []);
}

/** Takes away a `v` and leading zeros, and adds what is missing of the three numbers. */
function normalized(text: string): string {
  const [core, ...rest] = text
    .trim()
    .replace(/^v/, '')
    .split(/(?=[-+])/);
  const numbers = core!.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (rest.length > 0 && numbers.length < 3) return '';
  while (numbers.length < 3) numbers.push('0');
  return `${numbers.join('.')}${rest.join('')}`;
}

function compare(a: CelSemver, b: CelSemver): bigint {
  for (const [index, number] of a.numbers.entries()) {
    if (number !== b.numbers[index]) return number < b.numbers[index]! ? -1n : 1n;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return BigInt(
      b.prerelease.length - a.prerelease.length > 0 ? 1 : a.prerelease.length > b.prerelease.length ? -1 : 0,
    );
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): bigint {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1n;
    if (part === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(part), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return BigInt(part) < BigInt(other) ? -1n : 1n;
    if (isNumber !== isOtherNumber) return isNumber ? -1n : 1n;
    return part < other ? -1n : 1n;
  }
  return a.length < b.length ? -1n : 0n;
}

function semver(text: string, normalize = false): CelSemver {
  const value = parse(text, normalize);
  if (!value) throw new CelEvaluationError(reason(text));
  return value;
}

function reason(text: string): string {
  if (text === '') return 'Version string empty';
  if (text.split('.').length < 3) return 'No Major.Minor.Patch elements found';
  return `Invalid character(s) found in version ${JSON.stringify(text)}`;
}

const TYPE = '&kubernetes.Semver';

/** Kubernetes' functions on semantic versions. */
export const SEMVER_LIBRARY: readonly CelDeclaration[] = [
  ['string_to_semver', `semver(string) ${TYPE}`, semver],
  ['string_bool_to_semver', `semver(string, bool) ${TYPE}`, semver],
  ['is_semver_string', 'isSemver(string) bool', (text: string) => parse(text) !== undefined],
  [
    'is_semver_string_bool',
    'isSemver(string, bool) bool',
    (text: string, normalize: boolean) => parse(text, normalize) !== undefined,
  ],
  ['semver_is_greater_than', `${TYPE}.isGreaterThan(${TYPE}) bool`, (a: CelSemver, b: CelSemver) => compare(a, b) > 0n],
  ['semver_is_less_than', `${TYPE}.isLessThan(${TYPE}) bool`, (a: CelSemver, b: CelSemver) => compare(a, b) < 0n],
  ['semver_compare_to', `${TYPE}.compareTo(${TYPE}) int`, compare],
  ['semver_major', `${TYPE}.major() int`, ({ numbers }: CelSemver) => numbers[0]!],
  ['semver_minor', `${TYPE}.minor() int`, ({ numbers }: CelSemver) => numbers[1]!],
  ['semver_patch', `${TYPE}.patch() int`, ({ numbers }: CelSemver) => numbers[2]!],
];
