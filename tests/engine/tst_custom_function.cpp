// SPDX-License-Identifier: GPL-3.0-or-later
// The semantics of torch.amp.custom_fwd and custom_bwd.
#include "core/engine/custom_function.h"
#include "tests/support/test_program.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <QTest>

using namespace mantissa;
using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
namespace autocast = at::autocast;

namespace {

Tensor leaf(at::IntArrayRef sizes)
{
    return at::randn(sizes).set_requires_grad(true);
}

/// A kernel that takes one type for both and notes which, with autocast's state, in forward and in
/// backward. CastInputs as CustomForward's.
struct Seen {
    at::ScalarType type = at::ScalarType::Undefined;
    bool autocast = false;
};
Seen g_forward;
Seen g_backward;

template <bool CastToFp32> struct Product : torch::autograd::Function<Product<CastToFp32>> {
    static Tensor forward(AutogradContext* context, const Tensor& a, const Tensor& b)
    {
        const CustomForward region(
            context, at::kCPU, CastToFp32 ? std::optional(at::kFloat) : std::nullopt);
        const auto x = region.cast(a);
        const auto y = region.cast(b);
        context->save_for_backward({x, y});
        const auto output = at::mm(x, y);
        g_forward = {output.scalar_type(), autocast::is_autocast_enabled(at::kCPU)};
        return output;
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const CustomBackward region(context);
        const auto saved = context->get_saved_variables();
        const auto gradA = at::mm(grads[0], saved[1].t());
        g_backward = {gradA.scalar_type(), autocast::is_autocast_enabled(at::kCPU)};
        return {gradA, at::mm(saved[0].t(), grads[0])};
    }
};

/// Saves its input only and computes the product again in backward, as checkpointing does.
struct Recomputed : torch::autograd::Function<Recomputed> {
    static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight)
    {
        const CustomForward region(context, at::kCPU);
        context->save_for_backward({input, weight});
        const auto output = at::linear(input, weight);
        g_forward = {output.scalar_type(), autocast::is_autocast_enabled(at::kCPU)};
        return output;
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const CustomBackward region(context);
        const auto saved = context->get_saved_variables();
        const auto again = at::linear(saved[0], saved[1]);
        g_backward = {again.scalar_type(), autocast::is_autocast_enabled(at::kCPU)};
        return {at::mm(grads[0], saved[1]), at::mm(grads[0].t(), saved[0])};
    }
};

} // namespace

class TestCustomFunction : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { at::manual_seed(5); }

    void case52_aCustomFunctionRunsInTheRegionAndItsBackwardToo()
    {
        const auto a = leaf({3, 4});
        const auto b = leaf({4, 2});
        Tensor output;
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            output = Product<false>::apply(a, b);
        }
        QVERIFY(g_forward.autocast && g_forward.type == at::kBFloat16);
        output.sum().backward();
        QVERIFY(g_backward.autocast && g_backward.type == at::kBFloat16);
        QVERIFY(a.grad().scalar_type() == at::kFloat);
        QVERIFY(!autocast::is_autocast_enabled(at::kCPU));
    }

    void case52_castInputsSwitchesAutocastOffInside()
    {
        const auto a = at::randn({3, 4}).to(at::kBFloat16).set_requires_grad(true);
        const auto b = leaf({4, 2});
        // Without the wrapper the kernel for one type throws.
        QVERIFY_EXCEPTION_THROWN(at::mm(a, b), c10::Error);
        Tensor output;
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            output = Product<true>::apply(a, b);
            QVERIFY(autocast::is_autocast_enabled(at::kCPU));
        }
        QVERIFY(!g_forward.autocast && g_forward.type == at::kFloat);
        {
            // Backward of the forward's state, even inside another region.
            const AutocastGuard region(at::kCPU, at::kHalf);
            output.sum().backward();
        }
        QVERIFY(!g_backward.autocast && g_backward.type == at::kFloat);
        QVERIFY(a.grad().scalar_type() == at::kBFloat16 && b.grad().scalar_type() == at::kFloat);
    }

    void aCustomFunctionIsInertOutsideARegion()
    {
        const auto a = at::randn({3, 4}, at::kDouble).set_requires_grad(true);
        const auto b = at::randn({4, 2}, at::kDouble).set_requires_grad(true);
        const auto output = Product<true>::apply(a, b);
        QVERIFY(!g_forward.autocast && g_forward.type == at::kDouble);
        output.sum().backward();
        QVERIFY(!g_backward.autocast);
        QVERIFY(at::allclose(a.grad(), at::ones({3, 2}, at::kDouble).mm(b.detach().t())));
    }

    void case58_recomputingTakesTheForwardsType()
    {
        const auto x = leaf({3, 4});
        const auto w = leaf({2, 4});
        Tensor output;
        {
            const AutocastGuard region(at::kCPU, at::kBFloat16);
            output = Recomputed::apply(x, w);
        }
        output.sum().backward();
        QVERIFY(g_forward.type == at::kBFloat16);
        QVERIFY(g_backward.type == g_forward.type);
    }
};

MANTISSA_TEST(TestCustomFunction)
#include "tst_custom_function.moc"
