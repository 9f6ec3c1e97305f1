#include "picture/severity.h"

#include "base/number.h"

enum role severity_role(enum severity severity, const char **sign)
{
	*sign = severity == SEVERITY_HIGH || severity == SEVERITY_MEDIUM      ? "!"
		: severity == SEVERITY_SILENT || severity == SEVERITY_UNKNOWN ? " "
									      : "*";
	switch (severity) {
	case SEVERITY_HIGH: return ROLE_ERROR;
	case SEVERITY_LOW:
	case SEVERITY_SILENT:
	case SEVERITY_UNKNOWN: return ROLE_DIM;
	default: return ROLE_WARNING;
	}
}

void finding_prediction(struct buffer *out, const struct table *advice, uint32_t row)
{
	char gain[NUMBER_MAX], low[NUMBER_MAX], high[NUMBER_MAX];
	struct value predicted = table_cell(advice, row, "predicted_pct");
	struct value why = table_cell(advice, row, "predicted_why");
	if (predicted.kind == VALUE_REAL)
		buffer_printf(
			out, "Predicted: %s (%s to %s%s%s).", number_gain(gain, predicted.real),
			number_gain(low, table_cell(advice, row, "predicted_low_pct").real),
			number_gain(high, table_cell(advice, row, "predicted_high_pct").real),
			why.kind == VALUE_TEXT ? " " : "", why.kind == VALUE_TEXT ? why.text : "");
	else if (why.kind == VALUE_TEXT)
		buffer_printf(out, "Not predicted: %s.", why.text);
}
