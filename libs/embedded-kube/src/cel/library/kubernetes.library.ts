import { type CelFunctions, declareFunctions } from '../checking/cel.functions.js';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../values/cel.type.js';
import { FORMAT, FORMAT_LIBRARY } from './format.library.js';
import { LIST_LIBRARY } from './list.library.js';
import { CIDR, IP, NETWORK_LIBRARY } from './network.library.js';
import { OPERATORS } from './operator.library.js';
import { QUANTITY, QUANTITY_LIBRARY } from './quantity.library.js';
import { SEMVER, SEMVER_LIBRARY } from './semver.library.js';
import { STANDARD_LIBRARY } from './standard.library.js';
import { STRING_LIBRARY } from './string.library.js';
import { URL_LIBRARY, URL_TYPE } from './url.library.js';

let functions: CelFunctions | undefined;
let types: ReadonlyMap<string, CelType> | undefined;

/** Returns the functions that Kubernetes offers in all expressions. They are declared with the first expression. */
export function kubernetesFunctions(): CelFunctions {
  functions ??= declareFunctions(
    OPERATORS,
    STANDARD_LIBRARY,
    STRING_LIBRARY,
    LIST_LIBRARY,
    QUANTITY_LIBRARY,
    SEMVER_LIBRARY,
    NETWORK_LIBRARY,
    URL_LIBRARY,
    FORMAT_LIBRARY,
  );
  return functions;
}

/** Returns the types that all expressions can name. */
export function kubernetesTypes(): ReadonlyMap<string, CelType> {
  types ??= new Map(
    [
      [BOOL, BYTES, DOUBLE, DURATION, INT, NULL, STRING, TIMESTAMP, UINT],
      [listOf(DYN), mapOf(DYN, DYN), optionalOf(DYN), typeOf(DYN)],
      [FORMAT, CIDR, IP, QUANTITY, SEMVER, URL_TYPE],
    ]
      .flat()
      .map((type) => [type.name, type] as const),
  );
  return types;
}
