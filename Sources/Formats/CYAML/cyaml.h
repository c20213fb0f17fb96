// libyaml, which reads YAML.
#ifndef LINKCOND_CYAML_H
#define LINKCOND_CYAML_H

#include <yaml.h>

#endif
