import { describeIntegers } from './integers.suite.js';
import { describeServedIntegers } from './served-integers.suite.js';
import { startTestCluster } from '../../support/clusters/cluster.access.js';

describeServedIntegers('integers of a real control plane', () => startTestCluster({ controllers: false }));
describeIntegers('integers of an operator on a real control plane', () => startTestCluster({ controllers: false }));
