import { startEmbeddedCluster } from '../test.cluster.js';
import { describeIntegers } from './integers.suite.js';
import { describeServedIntegers } from './served-integers.suite.js';

describeServedIntegers('integers of embedded-kube', startEmbeddedCluster);
describeIntegers('integers of an operator on embedded-kube', startEmbeddedCluster);
