/*
 * PyProf's convolution class, based on kernel names of libraries of its time.
 */
#include "base/any_of.h"
#include "tools/pyprof/pyprof_call.h"

#include <math.h>

static const char helpers[] =
	"nchwToNhwc nhwcToNchw OffsetsKernel generateWinogradTilesKernel winogradWgradData "
	"winogradWgradOutput winogradWgradDelta compute_gemm_pointers flip_filter fft2d_r2c_ "
	"fft2d_c2r_ fft1d_r2c fft1d_c2r scaleTensor_kernel";
static const char workers[] =
	"_s884cudnn_ _s1688cudnn_ _scudnn_ 2d_grouped_direct_kernel "
	"cudnn::detail::implicit_convolve_sgemm cudnn::detail::dgrad2d_alg1_1 "
	"cudnn::detail::wgrad_alg0_engine cudnn::detail::dgrad_engine dgrad_1x1_stride_2x2 "
	"spatialDepthwiseConvolutionUpdateOutput winograd3x3Kernel _sgemm_ "
	"fermiPlusCgemmLDS128_batched _gcgemm_";
static const char of_all_groups[] =
	"2d_grouped_direct_kernel spatialDepthwiseConvolutionUpdateOutput";

struct conv {
	int64_t n, c, h, w, k, p, q, r, s, ph, pw, u, v, dh, dw, g;
	int64_t size;
	const char *type;
};

/* ---- arguments ---- */

/* Argument AT if positional, otherwise the one with this name; NULL. */
static const struct literal *option(const struct pyprof_call *call, size_t at, const char *name)
{
	const struct literal *argument = pyprof_arg(call, at);
	if (argument && literal_is_text(literal_get(argument, "name"), ""))
		return argument;
	for (size_t i = 0; i < pyprof_args(call); i++)
		if (literal_is_text(literal_get(pyprof_arg(call, i), "name"), name))
			return pyprof_arg(call, i);
	return NULL;
}

/* A number for both directions or a tuple; in 1-D the last element applies. */
static bool read_option(const struct pyprof_call *call, size_t at, const char *name,
			int64_t otherwise, bool is_line, int64_t *high, int64_t *wide_)
{
	const struct literal *argument = option(call, at, name);
	const struct literal *value = literal_get(argument, "value");
	*high = *wide_ = otherwise;
	if (!argument)
		return true;
	if (pyprof_is(argument, "int")) {
		*high = otherwise;
		if (!literal_int(value, wide_))
			return false;
		*high = is_line ? otherwise : *wide_;
		return true;
	}
	if (is_line)
		return literal_int(literal_item(value, 0), wide_);
	return pyprof_is(argument, "tuple") && value && value->kind == LITERAL_TUPLE &&
	       value->count == 2 && literal_int(literal_item(value, 0), high) &&
	       literal_int(literal_item(value, 1), wide_);
}

/* Number of filter positions along one dimension. */
static bool positions(int64_t size, int64_t padding, int64_t filter, int64_t dilation,
		      int64_t stride, int64_t *out)
{
	double room = (double)(size + 2 * padding - ((filter - 1) * dilation + 1));
	double count = 1 + room / (double)stride;
	if (stride == 0 || !(fabs(count) < 1e15))
		return false;
	*out = (int64_t)count;
	return size != 1 || *out == 1;
}

static bool read_sizes(struct pyprof_call *call, bool is_line, struct conv *conv)
{
	const struct literal *input = pyprof_arg(call, 0), *weight = pyprof_arg(call, 1);
	struct pyprof_operand x, w;
	size_t dims = is_line ? 3 : 4;
	if (!pyprof_is(input, "tensor") || !pyprof_is(weight, "tensor") ||
	    !pyprof_tensor(call, input, &x) || !pyprof_tensor(call, weight, &w) || x.dims != dims ||
	    w.dims != dims || !pyprof_same(input, weight, "dtype"))
		return false;
	conv->n = x.dim[0];
	conv->c = x.dim[1];
	conv->h = is_line ? 1 : x.dim[2];
	conv->w = x.dim[dims - 1];
	conv->k = w.dim[0];
	conv->r = is_line ? 1 : w.dim[2];
	conv->s = w.dim[dims - 1];
	conv->size = x.size;
	conv->type = x.type;
	return conv->g >= 1 && w.dim[1] <= INT64_MAX / conv->g && conv->c == w.dim[1] * conv->g &&
	       (!is_line || conv->g == 1);
}

static bool is_sane(const struct conv *conv)
{
	const int64_t max = 1 << 30;
	const int64_t values[] = { conv->h,  conv->w, conv->r, conv->s,  conv->ph,
				   conv->pw, conv->u, conv->v, conv->dh, conv->dw };
	return !any_of(i, sizeof values / sizeof *values, values[i] > max || values[i] < -max);
}

static bool read_conv(struct pyprof_call *call, struct conv *conv)
{
	bool is_line = strcmp(call->op, "conv1d") == 0;
	int64_t unused;
	return read_option(call, 3, "stride", 1, is_line, &conv->u, &conv->v) &&
	       read_option(call, 4, "padding", 0, is_line, &conv->ph, &conv->pw) &&
	       read_option(call, 5, "dilation", 1, is_line, &conv->dh, &conv->dw) &&
	       read_option(call, 6, "groups", 1, true, &unused, &conv->g) &&
	       read_sizes(call, is_line, conv) && is_sane(conv) &&
	       positions(conv->h, conv->ph, conv->r, conv->dh, conv->u, &conv->p) &&
	       positions(conv->w, conv->pw, conv->s, conv->dw, conv->v, &conv->q);
}

/* ---- work ---- */

/* VALUE / DIVISOR rounded once, as Python divides integers. */
static double divide(wide value, int64_t divisor)
{
	const wide exact = (wide)1 << 53;
	int shift = 0;
	if (value < exact && value > -exact)
		return (double)value / (double)divisor;
	while (value < ((wide)1 << 124) && value > -((wide)1 << 124) && shift < 62) {
		value *= 2;
		shift++;
	}
	wide quotient = value / divisor;
	if (value % divisor)
		quotient |= 1; /* sticky bit below a double's precision, for correct rounding */
	return ldexp((double)quotient, -shift);
}

static wide product(struct pyprof_call *call, const int64_t *factors, size_t count)
{
	wide result = 1;
	for (size_t i = 0; i < count; i++)
		result = pyprof_times(call, result, factors[i]);
	return result;
}

static void set_real(struct pyprof_call *call, double flops, double bytes)
{
	call->flops = (struct pyprof_number){ .is_real = true, .real = flops };
	call->bytes = (struct pyprof_number){ .is_real = true, .real = bytes };
}

/* One kernel computes everything. */
static void whole_work(struct pyprof_call *call, const struct conv *conv)
{
	const int64_t work[] = { 2, conv->n, conv->k, conv->p, conv->q, conv->c, conv->r, conv->s };
	const int64_t input[] = { conv->n, conv->c, conv->h, conv->w };
	const int64_t filter[] = { conv->k, conv->c, conv->r, conv->s };
	const int64_t output[] = { conv->n, conv->k, conv->p, conv->q };
	double elements =
		(double)product(call, input, 4) + divide(product(call, filter, 4), conv->g);
	elements += (double)product(call, output, 4);
	set_real(call, divide(product(call, work, 8), conv->g), elements * (double)conv->size);
}

/* One kernel per group; floating point, since Python divides first. */
static void group_work(struct pyprof_call *call, const struct conv *conv)
{
	double c = (double)conv->c / (double)conv->g, k = (double)conv->k / (double)conv->g;
	double p = (double)conv->p, q = (double)conv->q, r = (double)conv->r, s = (double)conv->s;
	double n = (double)conv->n;
	double elements = n * c * (double)conv->h * (double)conv->w + k * c * r * s;
	elements += n * k * p * q;
	set_real(call, 2 * n * k * p * q * c * r * s, elements * (double)conv->size);
}

bool pyprof_conv(struct pyprof_call *call)
{
	struct conv conv;
	if (!read_conv(call, &conv))
		return false;
	const struct {
		const char *key;
		int64_t value;
	} params[] = { PYPROF_CONV_ROWS };
	for (size_t i = 0; i < sizeof params / sizeof *params; i++)
		pyprof_param(call, params[i].key, params[i].value);
	pyprof_param_type(call, conv.type);
	if (*pyprof_tensor_core(call->kernel) == '1')
		call->tensor = "1";
	const int64_t output[] = { conv.n, conv.k, conv.p, conv.q };
	wide outputs = product(call, output, 4);
	if (pyprof_contains(call->kernel, helpers))
		pyprof_work(call, 0, 0);
	else if (!pyprof_contains(call->kernel, workers))
		pyprof_work(call, strstr(call->kernel, "calc_bias_diff") ? outputs : 0,
			    strstr(call->kernel, "calc_bias_diff")
				    ? 2 * pyprof_times(call, outputs, conv.size)
				    : 0);
	else if (conv.g == 1 || pyprof_contains(call->kernel, of_all_groups))
		whole_work(call, &conv);
	else
		group_work(call, &conv);
	return true;
}
