// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of [model].
#include "core/config/schema_model.h"

#include "core/config/schema_bind.h"

namespace mantissa::schema {

namespace {

using S = Settings;

void addModelSizes(std::vector<KeySpec>& keys)
{
    auto stem = bind<&S::model, &ModelConfig::stem>("model.stem");
    stem.help = "First layers of resnet18: cifar for images of about 32 x 32 pixels (3 x 3 "
                "convolution), imagenet for about 224 x 224 (7 x 7, stride 2, pool)";
    auto channels = bind<&S::model, &ModelConfig::channels>("model.channels");
    channels.range = closed(1, 1024);
    channels.unit = "channels";
    channels.help = "Channels of the narrowest stage; the others are multiples of it";
    auto patch = bind<&S::model, &ModelConfig::patch>("model.patch");
    patch.range = closed(1, 256);
    patch.unit = "pixels";
    patch.help = "Side of the squares that vit cuts the image into";
    auto dim = bind<&S::model, &ModelConfig::dim>("model.dim");
    dim.range = closed(1, 8192);
    dim.unit = "values";
    dim.help = "Values of a token; in vit and gpt a multiple of heads";
    auto depth = bind<&S::model, &ModelConfig::depth>("model.depth");
    depth.range = closed(1, 64);
    depth.unit = "layers";
    depth.help = "Transformer blocks, or LSTM layers";
    auto heads = bind<&S::model, &ModelConfig::heads>("model.heads");
    heads.range = closed(1, 256);
    heads.unit = "heads";
    heads.help = "Attention heads of a block";
    auto latent = bind<&S::model, &ModelConfig::latent>("model.latent");
    latent.range = closed(1, 8192);
    latent.unit = "values";
    latent.help = "Random values from which dcgan makes an image";
    for (auto* spec : {&stem, &channels, &patch, &dim, &depth, &heads, &latent})
        keys.push_back(*spec);
}

} // namespace

void addModel(std::vector<KeySpec>& keys)
{
    auto kind = bind<&S::model, &ModelConfig::kind>("model.kind");
    kind.help = "The network: mlp, cnn, resnet18 and vit classify images, gpt and lstm predict "
                "text, dcgan generates images";
    keys.push_back(kind);

    auto hidden = bind<&S::model, &ModelConfig::hidden>("model.hidden");
    hidden.range = closed(1, 65536);
    hidden.unit = "units";
    hidden.zeroMeans = "none: a linear classifier";
    hidden.help = "Units of each hidden layer, first to last";
    keys.push_back(hidden);

    auto width = bind<&S::model, &ModelConfig::width>("model.width");
    width.range = closed(1, 1024);
    width.unit = "channels";
    width.help = "Channels of the first convolution; later ones are multiples of it";
    keys.push_back(width);
    addModelSizes(keys);

    auto init = bind<&S::model, &ModelConfig::init>("model.init");
    init.zeroMeans = "from the seed";
    init.help = "Safetensors file of the first weights, under the names of Python's state_dict";
    keys.push_back(init);

    auto keepFp32 = bind<&S::model, &ModelConfig::keepFp32>("model.keep_fp32");
    keepFp32.zeroMeans = "none: autocast's own lists decide";
    keepFp32.help = "Modules that run in fp32, outside autocast, by their name in the model";
    keys.push_back(keepFp32);
}

} // namespace mantissa::schema
