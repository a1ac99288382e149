import { describeObjectSelection } from './object-selection.suite.js';
import { describeResourceSelection } from './resource-selection.suite.js';
import { startTestCluster } from '../../support/clusters/cluster.access.js';

describeResourceSelection('the selection of resources and namespaces on a real control plane', startTestCluster);
describeObjectSelection('the selection of objects on a real control plane', startTestCluster);
