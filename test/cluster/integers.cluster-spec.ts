import { describeIntegers } from '../operator/integers.suite.js';
import { describeServedIntegers } from '../operator/served-integers.suite.js';
import { startTestCluster } from './cluster.access.js';

describeServedIntegers('integers of a real control plane', () => startTestCluster({ controllers: false }));
describeIntegers('integers of an operator on a real control plane', () => startTestCluster({ controllers: false }));
